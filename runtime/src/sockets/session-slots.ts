import { bounds } from '@session-launch/contract/runtime/protocol';
import { full } from '../refusals.ts';

/** The client that requests a session. */
export interface SlotRequest {
  /** The client network. */
  client: string;
  /** Whether the session was minted with an API key, not by a page. */
  isFromServer: boolean;
}

/**
 * Limits the concurrent sessions of this process. Sessions minted by pages have two further limits, so that one visitor cannot use all
 * slots: a share is reserved for sessions minted with an API key, and once the process is nearly full, no client network may exceed its
 * share.
 */
export class SessionSlots {
  readonly #max: number;
  readonly #maxForPages: number;
  readonly #byClient = new Map<string, number>();
  #taken = 0;

  constructor(maxSessions: number) {
    this.#max = maxSessions;
    this.#maxForPages = maxSessions - Math.floor((maxSessions * bounds.serverEndpointPercent) / 100);
  }

  /** Takes a slot; throws a refusal if there is none. Returns the function that releases it. */
  take({ client, isFromServer }: SlotRequest): () => void {
    const held = this.#byClient.get(client) ?? 0;
    const isFull = this.#taken >= (isFromServer ? this.#max : this.#maxForPages);
    if (isFull || (!isFromServer && this.#exceedsShare(held))) throw full();
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
    const percent = (count: number) => (count / this.#max) * 100;
    return percent(this.#taken) >= bounds.fairShareFromPercent && percent(held) > bounds.networkPercent;
  }
}
