import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import type { Mode, SpeechCue, TransportContext } from '../types.ts';
import { Capture } from './capture.ts';
import { PageVoice } from './page-voice.ts';
import { Playback } from './playback.ts';
import { Recognition } from './recognition.ts';

type EventOf<T extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: T }>;

interface Line {
  send(message: object): void;
  sendAudio(frame: ArrayBuffer): void;
}

/** What is said and heard in a session, whichever connection carries it. */
export class Conversation {
  readonly #context: TransportContext;
  readonly #line: Line;
  readonly #hearing: EventOf<'ready'>['engines']['hearing']['kind'];
  readonly #playback: Playback | undefined;
  readonly #pageVoice: PageVoice;
  readonly #recognition: Recognition;
  readonly #played: (utterance: number, ms: number, done: boolean) => void;
  readonly #utterances = new Map<number, EventOf<'utterance'>>();
  #capture: Capture | undefined;
  #track: MediaStreamTrack | null = null;
  #mode: Mode = 'listening';

  constructor(context: TransportContext, ready: EventOf<'ready'>, canPlay: boolean, line: Line) {
    const { audio, manifest } = context;
    this.#context = context;
    this.#line = line;
    this.#hearing = ready.engines.hearing.kind;
    const played = (utterance: number, ms: number, done: boolean) =>
      line.send({ type: 'played', utterance, ms: Math.max(0, Math.round(ms)), done: done || undefined });
    this.#played = played;
    this.#playback = canPlay ? new Playback(audio, ready.audio.output.sampleRate, played) : undefined;
    this.#pageVoice = new PageVoice(played);
    this.#recognition = new Recognition(manifest.locale, (said) => {
      this.#line.send({ type: 'transcript', ...said, locale: manifest.locale });
    });
  }

  /** In manual mode a turn is from here to null. */
  setMic(track: MediaStreamTrack | null): void {
    if (track === this.#track) return;
    const wasHeard = this.#track !== null;
    this.#track = track;
    this.#capture?.close();
    this.#capture = undefined;
    const { audio, manifest } = this.#context;
    if (this.#hearing === 'server') {
      const isManual = manifest.speechInputMode === 'manual';
      if (track) {
        if (isManual) this.#line.send({ type: 'audio.start' });
        this.#capture = new Capture(audio, track, (frame) => this.#line.sendAudio(frame));
      } else if (isManual && wasHeard) this.#line.send({ type: 'audio.end' });
    }
    this.#listen();
  }

  mode(mode: Mode): void {
    this.#mode = mode;
    this.#listen();
  }

  event(event: RuntimeEvent): void {
    if (event.type === 'utterance') {
      this.#utterances.set(event.utterance, event);
      if (event.speech === 'server') this.#playback?.begin(event.utterance);
    } else if (event.type === 'cues') this.#cues(event);
    else if (event.type === 'interrupted') this.dropSound();
  }

  frame(frame: ArrayBuffer): void {
    this.#playback?.push(frame);
  }

  /** Silence, now: the visitor has something to say. */
  dropSound(): void {
    this.#playback?.drop();
    this.#pageVoice.drop();
    this.#utterances.clear();
  }

  setVolume(volume: number): void {
    this.#playback?.setVolume(volume);
    this.#pageVoice.volume = volume;
  }

  level(): number {
    return this.#playback?.level() ?? 0;
  }

  close(): void {
    this.setMic(null);
    this.dropSound();
    this.#playback?.close();
  }

  /** The page's own ears would hear the character, too: they listen while it is silent. */
  #listen(): void {
    if (this.#hearing !== 'client') return;
    if (this.#track && this.#mode !== 'speaking') this.#recognition.start();
    else this.#recognition.stop();
  }

  #cues({ utterance: id, cues, words = [] }: EventOf<'cues'>): void {
    const utterance = this.#utterances.get(id);
    if (!utterance) return;
    const durationMs = cues.at(-1)?.[0] ?? 0;
    const { characterId, speech, locale, text } = utterance;
    let clock: SpeechCue['clock'];
    if (speech === 'server' && this.#playback) clock = () => this.#playback!.clock(id);
    else if (speech === 'client') {
      this.#pageVoice.speak({ utterance: id, locale, text, durationMs, words });
      clock = () => this.#pageVoice.clock(id);
    } else {
      const startedAt = performance.now();
      // Sent as sound to a page that can play none, it still takes its time: the runtime waits for us.
      if (speech === 'server')
        setTimeout(() => {
          if (this.#utterances.has(id)) this.#played(id, durationMs, true);
        }, durationMs);
      clock = () => {
        const ms = performance.now() - startedAt;
        return ms > durationMs || !this.#utterances.has(id) ? Number.NaN : ms;
      };
    }
    this.#context.sink.cue({ type: 'speech', characterId, cues, clock } satisfies SpeechCue);
  }
}
