import type { Connected } from '@session-launch/contract/runtime/lifecycle';
import type { Engines, Hello } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';
import type { Character, Dialogue } from '../mind/mind.ts';
import type { SpeechOutput } from './speech-output.ts';

/** The session for which a partner is opened. */
export interface PartnerSession {
  clock: Clock;
  connected: Connected;
  hello: Hello;
  characters: [Character, ...Character[]];
}

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
  /** The user pressed the push-to-talk button; no audio has arrived yet. */
  pressed(): void;
  /** The user speaks during the character's utterance: pauses the character. */
  bargeIn(): void;
  /** The transcript was empty: the character continues. */
  noSpeech(): void;
  words(text: string, hearingMs: number): void;
  failed(error: Error): void;
}

/** The data of a session that a mind uses. */
export function settingOf({ connected, characters }: PartnerSession) {
  const { session, manifest, mind } = connected;
  const { mode, locale, secondaryLocale } = session;
  const { title, experienceId, revision } = manifest.experience;
  return {
    ...{ mind, mode, locale, secondaryLocale, characters, title },
    revision: `${experienceId} ${revision}`,
  };
}
