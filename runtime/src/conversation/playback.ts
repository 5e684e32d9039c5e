import type { WordTime } from '@session-launch/contract/runtime/protocol';
import { joined } from '../sentences.ts';
import type { LiveSpeech } from '../speech/live-speech.ts';

/** Milliseconds to wait for the client's report that playback has finished, past its expected end. */
const graceMs = 2000;

/** A piece that is being sent or played. */
export interface Utterance {
  id: number;
  /** Index of the piece in its message. */
  piece: number;
  text: string;
  words: WordTime[];
  /** Infinite while live speech is still arriving. */
  durationMs: number;
  /** The live speech of the utterance, and the position in it at which the utterance starts. */
  live?: { speech: LiveSpeech; fromMs: number; fromCharacter: number } | undefined;
  sentMs: number;
  playedMs: number;
  isDone: boolean;
}

/** Tracks what a message has sent and how much of it the client has played. */
export class Playback {
  readonly #utterances: Utterance[] = [];

  begin(of: Pick<Utterance, 'id' | 'piece' | 'text' | 'words' | 'durationMs' | 'live'>): Utterance {
    const utterance = { ...of, sentMs: 0, playedMs: 0, isDone: false };
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

  /** Removes an utterance and all later ones, because they will be sent again. */
  removeFrom(utterance: Utterance): void {
    this.#utterances.splice(this.#utterances.indexOf(utterance));
  }

  /**
   * Returns the milliseconds to wait until everything sent is played; 0 if it is. With `isTimeout` that time has passed without a report,
   * and the oldest utterance counts as played.
   */
  drain(isTimeout: boolean): number {
    if (isTimeout && this.current !== undefined) finish(this.current);
    return this.current === undefined ? 0 : this.aheadMs + graceMs;
  }

  finishAll(): void {
    for (const utterance of this.#utterances) if (!utterance.isDone) finish(utterance);
  }

  /** Tells live speech how much of it was played. */
  reportHeard(): void {
    for (const { live, playedMs } of this.#utterances)
      if (live !== undefined) live.speech.heardMs = live.fromMs + playedMs;
  }

  /** Offset in the text of live speech of the first word that was not sent yet. */
  charactersOf(speech: LiveSpeech): number {
    const last = this.#utterances.filter(({ live }) => live?.speech === speech).at(-1);
    if (last === undefined) return 0;
    const end = last.live!.fromCharacter + (last.words.at(-1)?.[2] ?? 0);
    return end + Math.max(0, speech.text.slice(end).search(/[\p{L}\p{N}]/u));
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
