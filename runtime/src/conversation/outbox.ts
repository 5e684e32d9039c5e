import { bounds, type RuntimeEvent, type UnnumberedEvent } from '@session-launch/contract/runtime/protocol';
import type { ClientConnection } from './client-connection.ts';

/** Event types that apply to one connection only and are not replayed. */
const notReplayed = new Set<string>(['ready', 'pong']);

/** Unread bytes on a connection above which it counts as backlogged. */
const backlogBytes = 512 * 1024;

/** Numbers the events of a session, buffers the most recent ones for resumes, and sends events while the client is connected. */
export class Outbox {
  #seq = 0;
  readonly #kept: { seq: number; json: string }[] = [];
  #connection: ClientConnection | undefined;

  get connection(): ClientConnection | undefined {
    return this.#connection;
  }

  /** Whether the client reads so slowly that nothing should be synthesised or sent. */
  get isBacklogged(): boolean {
    return (this.#connection?.unsent ?? 0) > backlogBytes;
  }

  send(event: UnnumberedEvent): void {
    const numbered = { ...event, seq: ++this.#seq } as RuntimeEvent;
    const json = JSON.stringify(numbered);
    if (!notReplayed.has(event.type)) {
      this.#kept.push({ seq: numbered.seq, json });
      if (this.#kept.length > bounds.replayedEvents) this.#kept.shift();
    }
    this.#connection?.sendText(json);
  }

  open(connection: ClientConnection): void {
    this.#connection = connection;
  }

  close(): void {
    this.#connection = undefined;
  }

  /** Resends the buffered events whose sequence number is above `after`. */
  replay(after: number): void {
    for (const { seq, json } of this.#kept) if (seq > after) this.#connection?.sendText(json);
  }
}
