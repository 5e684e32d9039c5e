import autocannon from 'autocannon';

/** One round of load, in a separate process: reads the request from its argument and prints the measurement. */
export interface Load {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** Sends a new Idempotency-Key with each request. */
  freshKeys?: boolean;
  connections: number;
  seconds: number;
  /** Requests per second, evenly spaced; absent: as many as possible. */
  rate?: number;
}

export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  statuses: Record<string, number>;
  errors: number;
}

const load = JSON.parse(process.argv[2] ?? '{}') as Load;
let n = 0;
const start = `${Date.now().toString(36)}-${process.pid}`;
const { url, method, headers, body, connections, seconds } = load;
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: [
    {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(load.freshKeys
        ? {
            setupRequest: (request: autocannon.Request) => {
              request.headers = { ...headers, 'idempotency-key': `${start}-${n++}` };
              return request;
            },
          }
        : {}),
    },
  ],
});
const counts = (result as unknown as { statusCodeStats: Record<string, { count: number }> }).statusCodeStats;
const measured: Measured = {
  perSecond: result.requests.total / result.duration,
  p50: result.latency.p50,
  p99: result.latency.p99,
  statuses: Object.fromEntries(Object.entries(counts).map(([status, { count }]) => [status, count])),
  errors: result.errors + result.timeouts,
};
process.stdout.write(`${JSON.stringify(measured)}\n`);
