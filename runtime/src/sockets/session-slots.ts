import { bounds } from '@session-launch/contract/runtime/protocol';
import { full } from '../refusals.ts';

/** Where a session comes from. */
export interface SlotRequest {
  /** The client network. */
  client: string;
  /** Whether the operator's own backend minted the session, rather than a page. */
  isServerDoor: boolean;
}

/**
 * The sessions that this process may run at a time. Sessions of pages are limited further, so that one visitor cannot take them
 * all: a share is kept for the server door, and once the process is nearly full, no client network may exceed its share.
 */
export class SessionSlots {
  readonly #most: number;
  readonly #mostForPages: number;
  readonly #byClient = new Map<string, number>();
  #taken = 0;

  constructor(maxSessions: number) {
    this.#most = maxSessions;
    this.#mostForPages = maxSessions - Math.floor((maxSessions * bounds.serverDoorPercent) / 100);
  }

  /** Takes a slot; throws a refusal if there is none. Returns the function that gives it back. */
  take({ client, isServerDoor }: SlotRequest): () => void {
    const held = this.#byClient.get(client) ?? 0;
    const isFull = this.#taken >= (isServerDoor ? this.#most : this.#mostForPages);
    if (isFull || (!isServerDoor && this.#exceedsShare(held))) throw full();
    this.#taken++;
    this.#byClient.set(client, held + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken--;
      const left = this.#byClient.get(client)! - 1;
      if (left > 0) this.#byClient.set(client, left);
      else this.#byClient.delete(client);
    };
  }

  #exceedsShare(held: number): boolean {
    const percent = (count: number) => (count / this.#most) * 100;
    return percent(this.#taken) >= bounds.fairShareFromPercent && percent(held) > bounds.networkPercent;
  }
}
