import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface Answer {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  /** A string is sent unchanged, any other value as JSON. */
  body: unknown;
}

/** A fake admin API over HTTP: records requests and returns the configured responses. */
export class FakeAdmin {
  readonly calls: Call[] = [];
  answer: (call: Call) => Answer | Promise<Answer> = () => ({ status: 500, body: '' });
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const call: Call = {
        method: request.method ?? '',
        url: new URL(request.url ?? '', 'http://admin'),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      this.calls.push(call);
      const { status = 200, type = 'application/json', headers = {}, body } = await this.answer(call);
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  static async start(): Promise<FakeAdmin> {
    const admin = new FakeAdmin();
    await new Promise<void>((resolve) => admin.#server.listen(0, '127.0.0.1', resolve));
    return admin;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function failure(status: number, error: Record<string, unknown>): Answer {
  return { status, body: { error: { requestId: 'req_1', ...error } } };
}
