import type { RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { languageOf } from '../core/locale.ts';
import type { Mode, SpeechCue, TransportContext } from '../types.ts';
import { capture } from './capture.ts';
import type { PageSpeech } from './page-speech.ts';
import type { PageVoice } from './page-voice.ts';
import { Playback } from './playback.ts';
import type { Recognition } from './recognition.ts';

type EventOf<T extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: T }>;

/** An utterance, and its mouth shapes as far as they are known. */
type Utterance = EventOf<'utterance'> & { cues?: EventOf<'cues'>['cues']; startsAt?: number };

/** A message of the client. The runtime echoes messages that have an id. */
export type Sent = { type: string; id?: string; status?: string; [field: string]: unknown };

const none = { kind: 'none' } as const;
const captions = { kind: 'captions', name: 'captions' } as const;

interface Channel {
  send(message: Sent): void;
  sendAudio(frame: ArrayBuffer): void;
  /** Called when `engines` of the conversation has changed. */
  enginesChanged(): void;
}

/** Speech input and output of a session. Independent of the connection, so it persists across reconnects. */
export class Conversation {
  readonly #context: TransportContext;
  readonly #channel: Channel;
  /** The engines in use: those that the runtime offers, as far as they work in this page. */
  readonly engines: EventOf<'ready'>['engines'];
  readonly #playback: Playback | undefined;
  readonly #pageVoice: PageVoice | undefined;
  readonly #recognition: Recognition | undefined;
  /** Reports the playback position of an utterance. */
  readonly #played = (utterance: number, ms: number, done: boolean) =>
    this.#channel.send({
      type: 'played',
      utterance,
      ms: Math.max(0, Math.round(ms)),
      done: done || undefined,
    });
  readonly #utterances = new Map<number, Utterance>();
  /** When the utterances without audible playback end, on the clock of `performance.now()`. They are timed one after another. */
  #silentUntil = 0;
  #stopCapture: (() => void) | undefined;
  #track: MediaStreamTrack | null = null;
  #mode: Mode = 'listening';

  constructor(
    context: TransportContext,
    ready: EventOf<'ready'>,
    canPlay: boolean,
    channel: Channel,
    speech?: PageSpeech,
  ) {
    const { audio, manifest } = context;
    this.#context = context;
    this.#channel = channel;
    const offered = ready.engines;
    const engines = { ...offered };
    this.engines = engines;
    /** Whether voices of this kind are audible, for both languages of a dual session. */
    const setAudible = (kind: string, isAudible: boolean) => {
      for (const one of ['speech', 'secondarySpeech'] as const)
        if (offered[one]?.kind === kind) engines[one] = isAudible ? offered[one] : captions;
    };
    if (canPlay) this.#playback = new Playback(audio, ready.audio.output.sampleRate, this.#played);
    else {
      // Without the worklet the microphone cannot be captured, and audio cannot be played.
      if (offered.hearing.kind === 'server') engines.hearing = none;
      setAudible('server', false);
    }
    if (!speech) return;
    this.#pageVoice = new speech.PageVoice(this.#played, (isAudible) => {
      setAudible('client', isAudible);
      channel.enginesChanged();
    });
    this.#recognition = new speech.Recognition(
      manifest.locale,
      (said) => channel.send({ type: 'transcript', ...said }),
      () => {
        engines.hearing = none;
        channel.enginesChanged();
      },
    );
  }

  /** Sets the microphone's track. In manual mode, a track begins a turn of the visitor and null ends it. */
  setMic(track: MediaStreamTrack | null): void {
    if (track === this.#track) return;
    const wasHeard = this.#track !== null;
    this.#track = track;
    this.#stopCapture?.();
    this.#stopCapture = undefined;
    const { audio, manifest } = this.#context;
    const isManual = manifest.speechInputMode === 'manual';
    if (this.engines.hearing.kind === 'server') {
      if (track) {
        if (isManual) this.#channel.send({ type: 'audio.start' });
        this.#stopCapture = capture(audio, track, (frame) => this.#channel.sendAudio(frame));
      } else if (isManual && wasHeard) this.#channel.send({ type: 'audio.end' });
    } else if (track && isManual && this.#mode === 'speaking') this.interrupt();
    this.#updateRecognition();
  }

  mode(mode: Mode): void {
    this.#mode = mode;
    if (mode === 'speaking') this.#setLanguage(this.#context.manifest.locale);
    this.#updateRecognition();
  }

  event(event: RuntimeEvent): void {
    if (event.type === 'utterance') {
      this.#utterances.set(event.utterance, event);
      if (event.speech === 'server') this.#playback?.begin(event.utterance);
    } else if (event.type === 'cues') this.#cues(event);
    else if (event.type === 'interrupted') this.dropSound();
    else if (event.type === 'suggestions') {
      // If the first suggestion is in another language, it is a phrase to repeat: recognise that language.
      const { locale, secondaryLocale = locale } = this.#context.manifest;
      const isLesson = languageOf(event.items[0]?.locale ?? locale) !== languageOf(locale);
      if (isLesson) this.#setLanguage(secondaryLocale);
    }
  }

  frame(frame: ArrayBuffer): void {
    this.#playback?.push(frame);
  }

  interrupt(): void {
    this.dropSound();
    this.#channel.send({ type: 'interrupt' });
  }

  /** Stops all speech immediately, because the visitor interrupts. */
  dropSound(): void {
    this.#playback?.drop();
    this.#pageVoice?.drop();
    this.#utterances.clear();
    this.#silentUntil = 0;
  }

  setVolume(volume: number): void {
    this.#playback?.setVolume(volume);
    if (this.#pageVoice) this.#pageVoice.volume = volume;
  }

  level(): number {
    return this.#playback?.level() ?? 0;
  }

  close(): void {
    this.setMic(null);
    this.#recognition?.stop();
    this.dropSound();
    this.#playback?.close();
  }

  #setLanguage(locale: string): void {
    if (this.#recognition) this.#recognition.locale = locale;
  }

  /** Runs the browser's recognition only while the character does not speak: it would recognise the character's voice. */
  #updateRecognition(): void {
    if (this.engines.hearing.kind !== 'client') return;
    if (this.#mode === 'speaking') this.#recognition?.stop();
    else if (this.#track) this.#recognition?.start();
    else this.#recognition?.finish();
  }

  get #isPlaying(): boolean {
    return this.#playback !== undefined && this.#context.audio.state === 'running';
  }

  #cues({ utterance: id, cues, words = [], more }: EventOf<'cues'>): void {
    const utterance = this.#utterances.get(id);
    if (!utterance) return;
    const { characterId, speech, locale, text } = utterance;
    const all = utterance.cues ?? [];
    all.push(...cues);
    const durationMs = all.at(-1)?.[0] ?? 0;
    const voice = speech === 'client' ? this.#pageVoice : undefined;
    voice?.speak({ utterance: id, locale, text, durationMs, words });
    utterance.startsAt ??= Math.max(performance.now(), this.#silentUntil);
    const { startsAt } = utterance;
    if (!voice) this.#silentUntil = startsAt + durationMs;
    // If audio is not available or blocked, report `played` when the mouth shapes end: the runtime waits for it.
    if (speech === 'server')
      setTimeout(() => {
        if (this.#isPlaying || !this.#utterances.has(id)) return;
        if (!more) this.#playback?.skip(id);
        this.#played(id, durationMs, !more);
      }, this.#silentUntil - performance.now());
    if (utterance.cues) return;
    utterance.cues = all;
    const clock = () => {
      if (voice) return voice.clock(id);
      if (speech === 'server' && this.#isPlaying) return this.#playback!.clock(id);
      const ms = performance.now() - startsAt;
      return ms > all.at(-1)![0] || !this.#utterances.has(id) ? Number.NaN : ms;
    };
    this.#context.sink.cue({ type: 'speech', characterId, cues: all, clock } satisfies SpeechCue);
  }
}
