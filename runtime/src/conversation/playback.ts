import type { WordTime } from '@session-launch/contract/runtime/protocol';
import { joined } from '../sentences.ts';

/** A piece that is being sent or played. */
export interface Utterance {
  id: number;
  text: string;
  words: WordTime[];
  durationMs: number;
  sentMs: number;
  playedMs: number;
  isDone: boolean;
}

/** Tracks what a message has sent and how much of it the client has played. */
export class Playback {
  readonly #utterances: Utterance[] = [];

  begin(id: number, text: string, words: WordTime[], durationMs: number): Utterance {
    const utterance = { id, text, words, durationMs, sentMs: 0, playedMs: 0, isDone: false };
    this.#utterances.push(utterance);
    return utterance;
  }

  /** Milliseconds of audio that are sent but not played yet. */
  get aheadMs(): number {
    return this.#utterances.reduce(
      (sum, { sentMs, playedMs, isDone }) => sum + (isDone ? 0 : sentMs - playedMs),
      0,
    );
  }

  /** Records progress, reported by the client or estimated from the clock. Earlier utterances count as fully played. */
  played(id: number, ms: number, isDone: boolean): boolean {
    const at = this.#utterances.findIndex((one) => one.id === id);
    const utterance = this.#utterances[at];
    if (utterance === undefined) return false;
    for (const earlier of this.#utterances.slice(0, at)) finish(earlier);
    utterance.playedMs = Math.max(utterance.playedMs, Math.min(ms, utterance.sentMs));
    if (
      isDone ||
      (utterance.sentMs >= utterance.durationMs && utterance.playedMs >= utterance.durationMs - 20)
    )
      finish(utterance);
    return true;
  }

  /** The utterance that is playing: the first unfinished one. */
  get current(): Utterance | undefined {
    return this.#utterances.find(({ isDone }) => !isDone);
  }

  /** Removes an utterance that will be sent again. */
  forget(utterance: Utterance): void {
    const at = this.#utterances.indexOf(utterance);
    if (at >= 0) this.#utterances.splice(at, 1);
  }

  /** The text whose words have started playing. */
  get heard(): string {
    return joined(this.#utterances.map(heardOf).filter((text) => text !== ''));
  }
}

/** Marks an utterance as played up to the last sample sent. */
export function finish(utterance: Utterance): void {
  utterance.playedMs = utterance.sentMs;
  utterance.isDone = true;
}

function heardOf({ text, words, durationMs, playedMs, sentMs, isDone }: Utterance): string {
  if (isDone && sentMs >= durationMs) return text;
  if (playedMs <= 0) return '';
  const begun = words.filter(([ms]) => ms < playedMs).at(-1);
  return begun === undefined ? '' : text.slice(0, begun[2]);
}
