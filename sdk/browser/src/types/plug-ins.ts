import type { SessionManifest } from '../contract.ts';
import type { EndReason, Message, Mode } from './session.ts';

export interface TransportFactory {
  type: string;
  load(): Promise<(context: TransportContext) => Promise<Connection>>;
}

export interface TransportContext {
  manifest: SessionManifest;
  signal: AbortSignal;
  audio: AudioContext;
  /** URL of the folder with the SDK's served files, with a trailing slash. */
  sdkUrl: string;
  sink: {
    mode(mode: Mode): void;
    message(message: Message): void;
    video(track: MediaStreamTrack | null): void;
    cue(cue: unknown): void;
    event(event: { type: string; [field: string]: unknown }): void;
    /** The connection was lost, and the transport is reconnecting. The close code is logged. */
    dropped(code?: number): void;
    resumed(): void;
    closed(by: 'runtime' | 'error', code?: number): void;
  };
}

export interface Connection {
  setMic(track: MediaStreamTrack | null): void;
  sendText(text: string, id?: string): void;
  interrupt(): void;
  setVolume(volume: number): void;
  /** Output level, from 0 to 1. */
  level?(): number;
  close(reason: EndReason): void;
}

export interface RendererFactory {
  name: string;
  accepts(character: object, manifest: SessionManifest): boolean;
  load(): Promise<(host: HTMLElement, manifest: SessionManifest, fit: string) => Renderer>;
}

export interface Renderer {
  /** Rejects if the renderer cannot draw; the player then tries the next one. */
  ready?: Promise<unknown>;
  mode(mode: Mode): void;
  video?(track: MediaStreamTrack | null): void;
  level?(level: number): void;
  cue?(cue: unknown): void;
  destroy(): void;
}

/** Cue of the built-in transport for renderers: the timed mouth shapes of an utterance. */
export interface SpeechCue {
  type: 'speech';
  characterId: string;
  /** Visemes with their start, in milliseconds from the start of the utterance. */
  cues: readonly (readonly [ms: number, viseme: string])[];
  /** Playback position in milliseconds: negative before playback starts and while it stalls, NaN after it has ended. */
  clock(): number;
}
