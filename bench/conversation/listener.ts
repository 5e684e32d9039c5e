import { type Frame, Talker } from '@session-launch/testing/talker.ts';
import type { Launch } from '../runtimes.ts';

const playedEveryMs = 250;

/** A client of the runtime that plays audio in real time. */
export class Listener extends Talker {
  /** The frames that are not played yet, and when each one will be, by the clock of this process. */
  #playing: (Frame & { playedAt: number })[] = [];

  constructor(url: string, token: string, isOpus = false) {
    super(url, token, {}, { isOpus });
    const timer = setInterval(() => this.#reportPlayed(), playedEveryMs);
    void this.closed.then(() => clearInterval(timer));
  }

  override interrupt(): void {
    this.#playing = [];
    super.interrupt();
  }

  protected override play(frame: Frame): void {
    const begins = Math.max(performance.now(), this.#playing.at(-1)?.playedAt ?? 0);
    this.#playing.push({ ...frame, playedAt: begins + frame.ms });
  }

  #reportPlayed(): void {
    const now = performance.now();
    const played = this.#playing.filter(({ playedAt }) => playedAt <= now);
    this.#playing = this.#playing.slice(played.length);
    const last = played.at(-1);
    if (last !== undefined) this.sendPlayed(last.utterance, last.endsAtMs, last.isLast);
  }
}

/** Connects a client and starts its session. An unpaced one reports audio as played when it arrives. */
export async function connected(
  serviceUrl: string,
  { sessionToken }: Launch,
  { isUnpaced = false } = {},
): Promise<Talker> {
  const client = new (isUnpaced ? Talker : Listener)(runtimeUrl(serviceUrl), sessionToken);
  await client.ready();
  return client;
}

/** The WebSocket URL of a service's runtime. */
export const runtimeUrl = (serviceUrl: string) => `${serviceUrl.replace('http', 'ws')}/runtime`;

/** Sends a text; returns the milliseconds until the first audio of the answer. */
export async function timeToAudio(client: Talker, text: string): Promise<number> {
  const began = performance.now();
  const heard = client.frames;
  client.say(text);
  await client.until(() => client.frames > heard);
  return client.frameTimes[heard]! - began;
}
