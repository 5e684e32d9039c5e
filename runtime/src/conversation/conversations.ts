import { randomBytes } from 'node:crypto';
import type { Hello } from '@session-launch/contract/runtime/protocol';
import type { EndReason } from '@session-launch/contract/session';
import type { Clock } from '../clock.ts';
import type { Connected } from '../service/connected.ts';
import { Conversation, type ConversationDeps } from './conversation.ts';

export interface ConversationsDeps extends Omit<ConversationDeps, 'newTicket' | 'ended'> {
  runtimeId: string;
  ended(sessionId: string, reason: EndReason, seconds: number): void;
}

/** The conversations of this process. */
export class Conversations {
  readonly #deps: ConversationsDeps;
  readonly #all = new Map<string, Conversation>();
  #isDraining = false;
  #emptied: () => void = () => {};

  constructor(deps: ConversationsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#all.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** For reports: who talks, and for how long. */
  seconds(): { sessionId: string; seconds: number }[] {
    return [...this.#all.values()].map(({ sessionId, seconds }) => ({ sessionId, seconds }));
  }

  open(connected: Connected, hello: Hello): Conversation {
    const { sessionId } = connected.session;
    const conversation = new Conversation(
      {
        ...this.#deps,
        // The ticket names its runtime, so that a proxy can lead a client back.
        newTicket: () => `${this.#deps.runtimeId}.${randomBytes(18).toString('base64url')}`,
        ended: (reason, seconds) => {
          this.#all.delete(sessionId);
          this.#deps.ended(sessionId, reason, seconds);
          if (this.#all.size === 0) this.#emptied();
        },
      },
      connected,
      hello,
    );
    this.#all.set(sessionId, conversation);
    return conversation;
  }

  /** Whom a ticket belongs to. It opens once: whoever resumes gets a new one. */
  of(ticket: string): Conversation | undefined {
    for (const conversation of this.#all.values()) if (conversation.ticket === ticket) return conversation;
    return undefined;
  }

  end(sessionId: string, reason: EndReason): void {
    this.#all.get(sessionId)?.end(reason);
  }

  /** No new ones; those that run get a moment to finish. Resolves when all are over. */
  async drain(clock: Clock, seconds: number): Promise<void> {
    this.#isDraining = true;
    const empty = new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
    for (const conversation of [...this.#all.values()]) conversation.drain(seconds);
    if (this.#all.size === 0) return;
    const cancel = clock.after(seconds * 1000, () => {
      for (const conversation of [...this.#all.values()]) conversation.end('server_shutdown');
    });
    await empty;
    cancel();
  }
}
