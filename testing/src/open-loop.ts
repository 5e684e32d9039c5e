import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One HTTP response. */
interface Reply {
  status: number;
  ms: number;
  retryAfter: string | undefined;
}

/** The results of a series of requests. */
export class Measured {
  readonly replies: Reply[] = [];
  /** Requests without a response: counts by cause. */
  readonly failures: Record<string, number> = {};
  sent = 0;
  /** Requests that were due while every connection of the client had a request in flight. */
  unsent = 0;
  /** `seconds`: how long requests were sent. `lagged`: milliseconds from the last send to the last response. */
  seconds = 0;
  lagged = 0;

  of(status: number): Reply[] {
    return this.replies.filter((reply) => reply.status === status);
  }

  perSecond(status: number): number {
    return this.of(status).length / this.seconds;
  }

  slowest(status: number): number {
    return this.of(status).reduce((most, { ms }) => Math.max(most, ms), 0);
  }

  add(reply: Reply | string): void {
    if (typeof reply === 'string') this.failures[reply] = (this.failures[reply] ?? 0) + 1;
    else this.replies.push(reply);
  }
}

/**
 * An HTTP client with little overhead, so that measurements reflect the service: raw sockets, one request in flight per connection, and
 * only the response head is parsed.
 */
export class Client {
  readonly #address: { host: string; port: number };
  readonly #request: () => string;
  readonly #idle: Connection[] = [];
  readonly #all: Connection[] = [];

  constructor(url: string, request: () => string) {
    const { hostname, port } = new URL(url);
    this.#address = { host: hostname, port: Number(port) };
    this.#request = request;
  }

  /** Opens connections and completes one request on each, so that none is left in the accept queue. */
  async open(count: number): Promise<void> {
    while (this.#all.length < count) {
      const wave = Array.from({ length: 32 }, () => new Connection(connect(this.#address)));
      this.#all.push(...wave);
      await Promise.all(wave.map((one) => one.ask('GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n')));
      this.#idle.push(...wave);
    }
  }

  /** Keeps `atOnce` requests in flight for `seconds`: each response triggers the next request. */
  async closedLoop(atOnce: number, seconds: number): Promise<Measured> {
    const measured = new Measured();
    const started = performance.now();
    const deadline = started + seconds * 1000;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (performance.now() < deadline) await this.#ask(measured);
      }),
    );
    measured.seconds = (performance.now() - started) / 1000;
    return measured;
  }

  /** Sends requests at a fixed rate, regardless of responses. Waits at most `patienceMs` for the last responses. */
  async openLoop(rate: number, seconds: number, patienceMs: number): Promise<Measured> {
    const measured = new Measured();
    const asked: Promise<void>[] = [];
    const started = performance.now();
    let last = started;
    let due = 0;
    while (last < started + seconds * 1000) {
      await sleep(2);
      const now = performance.now();
      // If this process was delayed, catches up on at most 50 ms of requests; catching up on all would be a burst.
      due += (Math.min(now - last, 50) / 1000) * rate;
      last = now;
      for (; due >= 1; due--) asked.push(this.#ask(measured));
    }
    measured.seconds = (last - started) / 1000;
    // Unreferenced, so that the timer does not keep the process alive.
    await Promise.race([Promise.all(asked), sleep(patienceMs, undefined, { ref: false })]);
    measured.lagged = performance.now() - last;
    const answered = measured.replies.length + Object.values(measured.failures).reduce((a, b) => a + b, 0);
    for (let n = answered; n < measured.sent; n++) measured.add('no answer');
    return measured;
  }

  /** Sends `count` requests concurrently. */
  async burst(count: number): Promise<Measured> {
    const measured = new Measured();
    await Promise.all(Array.from({ length: count }, () => this.#ask(measured)));
    return measured;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  async #ask(measured: Measured): Promise<void> {
    const connection = this.#idle.pop();
    // All connections have a request in flight: the limit of this client, not of the service.
    if (connection === undefined) {
      measured.unsent++;
      return;
    }
    measured.sent++;
    measured.add(await connection.ask(this.#request()));
    this.#idle.push(connection);
  }
}

/** One keep-alive connection. */
export class Connection {
  readonly #socket: Socket;
  #waiting: { sentAt: number; done: (reply: Reply | string) => void } | undefined;
  #received = '';

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#onData(bytes.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => this.#settle(error.code ?? error.message));
    socket.on('close', () => this.#settle('closed'));
  }

  ask(request: string): Promise<Reply | string> {
    return new Promise((done) => {
      this.#waiting = { sentAt: performance.now(), done };
      if (this.#socket.destroyed) this.#settle('closed before');
      else this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#received.slice(0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return;
    this.#received = '';
    this.#settle({
      status: Number(head.slice(9, 12)),
      ms: performance.now() - (this.#waiting?.sentAt ?? 0),
      retryAfter: /^retry-after: (.+)$/im.exec(head)?.[1],
    });
  }

  #settle(reply: Reply | string): void {
    this.#waiting?.done(reply);
    this.#waiting = undefined;
  }
}
