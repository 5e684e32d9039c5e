import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One answer. */
interface Reply {
  status: number;
  ms: number;
  retryAfter: string | undefined;
}

/** What came back for a number of requests. */
export class Measured {
  readonly replies: Reply[] = [];
  /** Requests without an answer, by what happened to them. */
  readonly failures: Record<string, number> = {};
  sent = 0;
  /** Requests that were due while every connection of the client was waiting for an answer. */
  unsent = 0;
  /** For how long requests were sent, and how long the last answer took after that. */
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
 * A client that costs little, so that the service is what is measured: bare connections, one request at a time on each, and
 * answers of which only the head is looked at.
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

  /** Opens connections and sees each of them answered, so that none still waits to be accepted. */
  async open(count: number): Promise<void> {
    while (this.#all.length < count) {
      const wave = Array.from({ length: 32 }, () => new Connection(connect(this.#address)));
      this.#all.push(...wave);
      await Promise.all(wave.map((one) => one.ask('GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n')));
      this.#idle.push(...wave);
    }
  }

  /** As many requests as get an answer, so many at a time. */
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

  /** Requests at a steady rate, whether or not earlier ones have their answer. Nobody waits longer than `patienceMs`. */
  async openLoop(rate: number, seconds: number, patienceMs: number): Promise<Measured> {
    const measured = new Measured();
    const asked: Promise<void>[] = [];
    const started = performance.now();
    let last = started;
    let due = 0;
    while (last < started + seconds * 1000) {
      await sleep(2);
      const now = performance.now();
      // A client that was held up itself makes up for a little of it; for all of it would be a burst.
      due += (Math.min(now - last, 50) / 1000) * rate;
      last = now;
      for (; due >= 1; due--) asked.push(this.#ask(measured));
    }
    measured.seconds = (last - started) / 1000;
    // Patience that is not needed keeps no process alive.
    await Promise.race([Promise.all(asked), sleep(patienceMs, undefined, { ref: false })]);
    measured.lagged = performance.now() - last;
    const answered = measured.replies.length + Object.values(measured.failures).reduce((a, b) => a + b, 0);
    for (let n = answered; n < measured.sent; n++) measured.add('no answer');
    return measured;
  }

  /** So many requests at once, and no more. */
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
    // As many requests as there are connections have no answer yet: the limit of this client, not of the service.
    if (connection === undefined) {
      measured.unsent++;
      return;
    }
    measured.sent++;
    measured.add(await connection.ask(this.#request()));
    this.#idle.push(connection);
  }
}

class Connection {
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
