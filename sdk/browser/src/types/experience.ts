import type { ServiceCode } from '../contract.ts';
import type { ExperienceError } from './errors.ts';
import type { Player, PlayerOptions } from './player.ts';
import type { EndReason, Message, MicStatus, Mode, SessionFacts, State, Suggestion } from './session.ts';

export interface Events {
  stateChange: State;
  /** The payload is the mode itself, not an object. */
  modeChange: Mode;
  /** Emitted again with the same id when the text grows. */
  message: Message;
  micChange: MicStatus;
  outputChange: { blocked: boolean; muted: boolean; volume: number };
  suggestions: Suggestion[];
  error: ExperienceError;
  ended: { reason: EndReason; error?: ExperienceError };
  runtimeEvent: { type: string; [field: string]: unknown };
}

export interface Microphone {
  readonly status: MicStatus;
  enable(): Promise<void>;
  /** Also works before the microphone is on: it then starts muted. */
  mute(): void;
  unmute(): void;
  /** Input level, from 0 to 1. */
  level(): number;
  setDevice(id: string): Promise<void>;
}

export interface Output {
  readonly blocked: boolean;
  readonly muted: boolean;
  readonly volume: number;
  /** Call it in a click handler; otherwise it may reject with AUDIO_BLOCKED. */
  unblock(): Promise<void>;
  mute(): void;
  unmute(): void;
  setVolume(volume: number): void;
  /** Output level, from 0 to 1. */
  level(): number;
}

/** Whether a session could start now. */
export interface Availability {
  available: boolean;
  /** The error code that a start would get now. */
  code?: ServiceCode;
  message?: string;
  /** Seconds after which asking again makes sense. Absent if waiting does not help. */
  retryAfter?: number;
}

export interface Experience {
  readonly state: State;
  readonly mode: Mode | null;
  readonly messages: readonly Message[];
  readonly error: ExperienceError | null;
  readonly session: SessionFacts | null;
  start(): Promise<void>;
  end(): Promise<void>;
  /** Checks whether a session could start now. Only with `experienceId` and without `relayUrl`; otherwise it rejects with a TypeError. */
  availability(): Promise<Availability>;
  sendText(text: string): void;
  interrupt(): void;
  readonly mic: Microphone;
  readonly output: Output;
  attach(target: Element | string, options?: PlayerOptions): Player;
  on<K extends keyof Events>(event: K, handler: (payload: Events[K]) => void): () => void;
  once<K extends keyof Events>(event: K, handler: (payload: Events[K]) => void): () => void;
  off<K extends keyof Events>(event: K, handler: (payload: Events[K]) => void): void;
}
