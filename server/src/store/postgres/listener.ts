import pg from 'pg';
import { close, connectionConfig, connectTimeout } from './connection.ts';
import { ask, prepare } from './statement.ts';
import type { StatementWatch } from './statement-watch.ts';

const retryAfter = 500;
/** Milliseconds between pings: an idle channel is otherwise indistinguishable from a dead connection. */
const checkEvery = 10_000;

export interface ListenerDeps {
  url: string;
  watch: StatementWatch;
  onIdleError(error: Error): void;
}

export interface Channel {
  name: string;
  onMessage(payload: string): void;
  /** Called when notifications may have been missed. */
  onGap(): void;
}

/** Runs LISTEN on a dedicated connection, which is reopened whenever it is lost. */
export class Listener {
  readonly #deps: ListenerDeps;
  readonly #channel: Channel;
  readonly #checks: NodeJS.Timeout;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #checking = false;
  #stopped = false;

  constructor(deps: ListenerDeps, channel: Channel) {
    this.#deps = deps;
    this.#channel = channel;
    this.#checks = setInterval(() => this.check(), checkEvery);
    this.#checks.unref();
  }

  /** Returns whether the channel is open; otherwise it is retried. */
  async start(): Promise<boolean> {
    const { url, watch, onIdleError } = this.#deps;
    const client = new pg.Client(connectionConfig(url, 'session-launch listener'));
    let lost = false;
    const reconnect = (error?: Error) => {
      if (lost) return;
      lost = true;
      this.#client = undefined;
      if (error && !this.#stopped) onIdleError(error);
      void close(client);
      this.#scheduleRetry();
    };
    client.on('error', reconnect);
    client.on('end', () => reconnect());
    client.on('notification', (message) => this.#channel.onMessage(message.payload ?? ''));
    try {
      await client.connect();
      await prepare(watch, client, connectTimeout);
      await ask(watch, client, connectTimeout, `LISTEN ${pg.escapeIdentifier(this.#channel.name)}`);
      if (this.#stopped) throw new Error('stopped');
      this.#client = client;
      return true;
    } catch (error) {
      reconnect(error as Error);
      return false;
    }
  }

  /** Pings the connection. If there is no answer, the connection is destroyed and reopened. */
  check(): void {
    if (this.#client === undefined || this.#checking) return;
    this.#checking = true;
    void ask(this.#deps.watch, this.#client, connectTimeout, 'SELECT 1')
      .catch(() => undefined)
      .finally(() => {
        this.#checking = false;
      });
  }

  async close(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearInterval(this.#checks);
    if (this.#client) await close(this.#client);
  }

  #scheduleRetry(): void {
    if (this.#stopped) return;
    this.#retry = setTimeout(() => {
      // Notifications during the gap were missed; report it now that the channel is open again.
      void this.start().then((listening) => listening && this.#channel.onGap());
    }, retryAfter);
    this.#retry.unref();
  }
}
