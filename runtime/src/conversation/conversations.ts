import { randomBytes } from 'node:crypto';
import type { Connected, Report } from '@session-launch/contract/runtime/lifecycle';
import type { Hello } from '@session-launch/contract/runtime/protocol';
import type { EndReason } from '@session-launch/contract/session';
import type { Clock } from '../clock.ts';
import { Conversation, type ConversationDeps } from './conversation.ts';

export interface ConversationsDeps extends Omit<ConversationDeps, 'newTicket' | 'ended'> {
  runtimeId: string;
  ended(sessionId: string, reason: EndReason, seconds: number): void;
}

/** The client of a new conversation. */
export interface Visitor {
  /** The origin in the client's token. */
  origin: string | undefined;
  /** Releases the session slot when the conversation has ended or failed to open. May be called more than once. */
  left(): void;
}

/** All conversations of this process. */
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

  /** The sessions for the next report: connected seconds, and whether the client is disconnected and may resume. */
  states(): Report['sessions'] {
    return [...this.#all.values()].map(({ sessionId, seconds, isWaiting }) => ({
      sessionId,
      seconds,
      ...(isWaiting ? { waiting: true } : {}),
    }));
  }

  /** Creates the conversation of a session that the service has marked as connected. */
  open(connected: Connected, hello: Hello, visitor: Visitor): Conversation {
    const { sessionId } = connected.session;
    const ended = (reason: EndReason, seconds: number) => {
      this.#all.delete(sessionId);
      visitor.left();
      this.#deps.ended(sessionId, reason, seconds);
      if (this.#all.size === 0) this.#emptied();
    };
    // The ticket starts with the runtime's id, so that a proxy can route the client back to this process.
    const newTicket = () => `${this.#deps.runtimeId}.${randomBytes(18).toString('base64url')}`;
    try {
      const deps = { ...this.#deps, newTicket, ended };
      const conversation = new Conversation(deps, connected, hello, visitor.origin);
      this.#all.set(sessionId, conversation);
      return conversation;
    } catch (error) {
      // The service already lists the session as active. Without this report it would end as `runtime_lost` a minute later.
      ended('runtime_error', 0);
      throw error;
    }
  }

  /** Finds the conversation that accepts a resume ticket. */
  of(ticket: string): Conversation | undefined {
    return [...this.#all.values()].find((conversation) => conversation.acceptsTicket(ticket));
  }

  end(sessionId: string, reason: EndReason): void {
    this.#all.get(sessionId)?.end(reason);
  }

  /** Sets `isDraining`, so that `Admission` refuses new connections. Resolves when all have ended, after `seconds` seconds at the latest. */
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
