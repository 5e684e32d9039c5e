import type { Connected } from '@session-launch/contract/runtime/lifecycle';
import type { Engines, Hello } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';
import type { Character, Dialogue, Said, Tools } from '../mind/mind.ts';
import type { SpeechOutput } from './speech-output.ts';

/** The session for which a partner is opened. */
export interface PartnerSession {
  clock: Clock;
  connected: Connected;
  hello: Hello;
  characters: [Character, ...Character[]];
  observer: PartnerObserver;
  /** Absent: the experience has none. */
  tools: Tools | undefined;
  /** Runs `work`; an error in it ends this conversation only. */
  safely(work: () => void): void;
}

export interface PartnerObserver {
  /** What a model has consumed. */
  used(usage: Usage): void;
  /** A setting of the experience was not applied, because the operator does not allow it. */
  ignored(setting: string): void;
}

/** What a model has consumed: tokens of one response, or seconds of audio. */
export type Usage =
  | ({ kind: 'tokens' } & Record<TokenKind, number>)
  | { kind: 'audio'; direction: 'input' | 'output'; seconds: number };

export type TokenKind = 'inputText' | 'inputAudio' | 'inputCached' | 'outputText' | 'outputAudio';

/** What one conversation talks to: understands the user, decides on the answer and speaks it. */
export interface Partner {
  readonly dialogue: Dialogue;
  /** Speaks the texts of the dialogue. */
  readonly speechOutput: SpeechOutput;
  /** The engines as listed in `ready`. */
  readonly engines: Engines;
  /** Opens the input for the user's audio. Absent if the partner does not accept audio in this session. */
  listen: ((calls: ListeningCalls) => SpeechInput) | undefined;
  close(): void;
}

export type OpenPartner = (session: PartnerSession) => Partner;

/** Accepts the microphone audio of a user. */
export interface SpeechInput {
  push(samples: Int16Array): void;
  /** The user pressed the push-to-talk button. */
  start(): void;
  /** The user released the push-to-talk button or muted the microphone. */
  end(): void;
  close(): void;
}

export interface ListeningCalls {
  /** The user is speaking or has just stopped. */
  activity(): void;
  /** A turn of the user has started or ended. */
  speaking(isSpeaking: boolean): void;
  /** The user pressed the push-to-talk button; no audio has arrived yet. */
  pressed(): void;
  /** The user speaks during the character's utterance: pauses the character. */
  bargeIn(): void;
  /** The transcript was empty or an echo: the character continues. */
  noSpeech(): void;
  words(text: string, hearingMs: number): void;
  /** Whether the words are what the character is saying. */
  isEcho(text: string): boolean;
  /** The user interrupts the character for good. */
  interrupt(): void;
  /** Whether the character thinks or speaks. */
  isCharacterActive(): boolean;
  /** The user has spoken to a partner that understands speech itself. `answer` passes the transcript to `heard` as it arrives. */
  spoke(answer: (heard: Heard, signal: AbortSignal) => AsyncIterable<Said>): void;
  failed(error: Error): void;
}

/** Receives a transcript: cumulative while it is partial. */
export type Heard = (text: string, status: 'partial' | 'final') => void;

/** The data of a session that a mind uses. */
export function settingOf({ connected, characters, tools }: PartnerSession) {
  const { session, manifest, mind } = connected;
  const { mode, locale, secondaryLocale } = session;
  const { title, experienceId, revision } = manifest.experience;
  return {
    ...{ mind, mode, locale, secondaryLocale, characters, title, tools },
    revision: `${experienceId} ${revision}`,
  };
}
