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

/** What a report says about a running session. */
export interface SessionState {
  sessionId: string;
  seconds: number;
  waiting?: boolean;
}

/** The client of a new conversation. */
export interface Visitor {
  /** The origin that its token names. */
  origin: string | undefined;
  /** Called once, when the conversation is over or could not be opened. */
  left(): void;
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

  /** For reports: connected seconds, and whether the session waits for its client. */
  states(): SessionState[] {
    return [...this.#all.values()].map(({ sessionId, seconds, isWaiting }) => ({
      sessionId,
      seconds,
      ...(isWaiting ? { waiting: true } : {}),
    }));
  }

  /** Opens the conversation of a session that the service has connected. */
  open(connected: Connected, hello: Hello, visitor: Visitor): Conversation {
    const { sessionId } = connected.session;
    const ended = (reason: EndReason, seconds: number) => {
      this.#all.delete(sessionId);
      visitor.left();
      this.#deps.ended(sessionId, reason, seconds);
      if (this.#all.size === 0) this.#emptied();
    };
    // The ticket names its runtime, so that a proxy can route a client back to it.
    const newTicket = () => `${this.#deps.runtimeId}.${randomBytes(18).toString('base64url')}`;
    try {
      const deps = { ...this.#deps, newTicket, ended };
      const conversation = new Conversation(deps, connected, hello, visitor.origin);
      this.#all.set(sessionId, conversation);
      return conversation;
    } catch (error) {
      // The service has the session as active: without this it would end as `runtime_lost` a minute later.
      ended('runtime_error', 0);
      throw error;
    }
  }

  /** The conversation of a ticket. A ticket is valid once: each resume gives a new one. */
  of(ticket: string): Conversation | undefined {
    for (const conversation of this.#all.values()) if (conversation.ticket === ticket) return conversation;
    return undefined;
  }

  end(sessionId: string, reason: EndReason): void {
    this.#all.get(sessionId)?.end(reason);
  }

  /** Refuses new conversations, and resolves when all are over, after `seconds` at the latest. */
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
