import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body. Throws if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  json: any;
}

export interface Call {
  method?: string;
  path: string;
  /** An array is sent as one header line per element. */
  headers?: Record<string, string | string[]>;
  /** Objects are sent as JSON; strings and buffers are sent unchanged. */
  body?: unknown;
  /** Sends the body with chunked transfer encoding, without Content-Length. */
  chunked?: boolean;
  localAddress?: string;
  /** For an https URL: the certificate that is trusted. The server must have one for the host of the header `Host`. */
  certificate?: string | Buffer;
  /** Replaces the shared keep-alive agent. */
  agent?: Agent;
}

/** The timeout closes idle sockets, before the service does after 65 s; it does not affect requests in flight. */
const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 30_000 });

/** Sends one request. The only header that is added is the JSON Content-Type for object bodies. */
export function send(baseUrl: string, call: Call): Promise<Answer> {
  const raw = typeof call.body === 'string' || Buffer.isBuffer(call.body);
  const body =
    call.body === undefined ? undefined : raw ? (call.body as string | Buffer) : JSON.stringify(call.body);
  const headers: Record<string, string | string[]> = {
    ...(body !== undefined && !raw ? { 'Content-Type': 'application/json' } : {}),
    ...call.headers,
  };
  if (call.chunked) headers['Transfer-Encoding'] = 'chunked';
  else if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const isPlain = call.certificate === undefined;
    const request = (isPlain ? httpRequest : httpsRequest)(
      new URL(call.path, baseUrl),
      {
        method: call.method ?? 'GET',
        headers,
        agent: call.localAddress || !isPlain ? undefined : (call.agent ?? agent),
        ...(call.localAddress ? { localAddress: call.localAddress } : {}),
        ...(isPlain ? {} : { ca: call.certificate, servername: String(headers.Host) }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            get json() {
              return JSON.parse(text);
            },
          });
        });
      },
    );
    request.on('error', reject);
    if (call.chunked) for (const piece of pieces(Buffer.from(body ?? ''))) request.write(piece);
    request.end(call.chunked ? undefined : body);
  });
}

/** Returns a function that sends requests with a bearer token. */
export function sendWith(token: string, baseUrl: string): (call: Call) => Promise<Answer> {
  return (call) => send(baseUrl, { ...call, headers: { Authorization: `Bearer ${token}`, ...call.headers } });
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  const size = 10_000;
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
