// The public types of the package. Imports no other package, so that the published declarations are self-contained.
import type { SessionManifest } from './contract.ts';

export type { SessionManifest };

export type Id = `exp_${string}`;

/** Response body of the mint endpoints. */
export interface SessionLaunchResponse {
  session: object;
  launch: SessionManifest;
}

export type Launch = SessionLaunchResponse | SessionManifest;

export interface MintFields {
  locale?: string;
  secondaryLocale?: string;
  learningLocale?: string;
  mode?: 'conversation' | 'presenter';
  speechInputMode?: 'auto' | 'manual' | 'off';
  speechOnly?: boolean;
  language?: 'en' | 'es';
}

/** Source of the launch: exactly one of these. */
export type Source =
  | { experienceId: Id; door?: 'browser' | 'public' }
  | {
      experienceId: Id;
      relayUrl: string;
      relayInit?: () => RequestInit | Promise<RequestInit>;
      userId?: string;
    }
  | { mint(request: MintFields, call: { idempotencyKey: string; signal: AbortSignal }): Promise<Launch> }
  | { launch: Launch };

export type ExperienceOptions = Source &
  MintFields & {
    /** URL of the service. Scripts that the service serves derive it from their own URL. */
    baseUrl?: string;
    /** Receives the session token by POST on page unload and for launches that never connected. Default: the manifest's `links.leave`. */
    leaveUrl?: string;
    signal?: AbortSignal;
    transports?: TransportFactory[];
    renderers?: RendererFactory[];
    log?(level: string, text: string): void;
  };

export type State =
  | 'idle'
  | 'minting'
  | 'connecting'
  | 'live'
  | 'reconnecting'
  | 'ending'
  | 'ended'
  | 'failed';
export type Mode = 'listening' | 'speaking' | 'thinking';
export type EndReason = 'user' | 'closed' | 'runtime' | 'pagehide' | 'connection-lost' | 'aborted';
export type MicStatus =
  | 'off'
  | 'prompting'
  | 'on'
  | 'muted'
  | 'denied'
  | 'missing'
  | 'busy'
  | 'blocked-by-policy'
  | 'insecure';

export interface Message {
  id: string;
  role: 'user' | 'character';
  characterId?: string;
  text: string;
  locale?: string;
  status: 'partial' | 'final';
  interrupted?: true;
  /** The parts of a message that mixes two languages. */
  spans?: { locale: string; text: string }[];
}

export interface Suggestion {
  text: string;
  locale: string;
}

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

export interface SessionFacts {
  sessionId: string;
  locale: string;
  secondaryLocale?: string;
  livemode: boolean;
  capabilities: string[];
  characters: { characterId: string; name: string }[];
}

export interface Microphone {
  readonly status: MicStatus;
  enable(): Promise<void>;
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

export interface Experience {
  readonly state: State;
  readonly mode: Mode | null;
  readonly messages: readonly Message[];
  readonly error: ExperienceError | null;
  readonly session: SessionFacts | null;
  start(): Promise<void>;
  end(): Promise<void>;
  sendText(text: string): void;
  interrupt(): void;
  readonly mic: Microphone;
  readonly output: Output;
  attach(target: Element | string, options?: PlayerOptions): Player;
  on<K extends keyof Events>(event: K, handler: (payload: Events[K]) => void): () => void;
  once<K extends keyof Events>(event: K, handler: (payload: Events[K]) => void): () => void;
  off<K extends keyof Events>(event: K, handler: (payload: Events[K]) => void): void;
}

export type TextKey =
  | 'start'
  | 'restart'
  | 'retryIn'
  | 'close'
  | 'idle'
  | 'minting'
  | 'connecting'
  | 'listening'
  | 'thinking'
  | 'speaking'
  | 'reconnecting'
  | 'ending'
  | 'ended'
  | 'lost'
  | 'failed'
  | 'busy'
  | 'expired'
  | 'offline'
  | 'captions'
  | 'showCaptions'
  | 'you'
  | 'input'
  | 'send'
  | 'suggestions'
  | 'micOn'
  | 'micOff'
  | 'micDenied'
  | 'micMissing'
  | 'micBusy'
  | 'micBlocked'
  | 'micInsecure'
  | 'micHold'
  | 'hear'
  | 'mute'
  | 'unmute'
  | 'endingSoon'
  | 'scripted'
  | 'modelled'
  | 'pageVoice'
  | 'noVoice'
  | 'noHearing';

export interface PlayerOptions {
  startButton?: boolean | { label?: string };
  closeButton?: boolean | { label?: string };
  returnUrl?: string;
  fit?: 'contain' | 'cover' | 'fill';
  captions?: boolean;
  textInput?: boolean;
  poster?: string;
  texts?: Partial<Record<TextKey, string>>;
  onClose?(event: { reason: 'button' | 'escape' | 'api'; preventDefault(): void }): void;
  onStateUpdate?(state: Readonly<PlayerState>): void;
}

export interface PlayerState {
  state: State;
  mode: Mode | null;
  mic: MicStatus;
  outputBlocked: boolean;
  captions: boolean;
  sessionId?: string;
  error?: ExperienceError;
  endReason?: EndReason;
}

export interface Player {
  readonly element: HTMLElement;
  update(options: Partial<PlayerOptions>): void;
  close(): void;
  /** Removes the player. The session continues. */
  detach(): void;
}

export type ServiceCode =
  | 'INVALID_JSON'
  | 'INVALID_REQUEST'
  | 'LOCALE_CONFLICT'
  | 'SECONDARY_LOCALE_REQUIRED'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'API_KEY_INVALID'
  | 'INSUFFICIENT_SCOPE'
  | 'EXPERIENCE_FORBIDDEN'
  | 'PROJECT_FORBIDDEN'
  | 'ORIGIN_REQUIRED'
  | 'ORIGIN_NOT_ALLOWED'
  | 'BROWSER_EMBEDS_DISABLED'
  | 'NOT_FOUND'
  | 'EXPERIENCE_NOT_FOUND'
  | 'EXPERIENCE_NOT_PUBLISHED'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_TOKEN_INVALID'
  | 'SESSION_ALREADY_CONNECTED'
  | 'SESSION_ENDED'
  | 'CONCURRENCY_LIMIT'
  | 'METHOD_NOT_ALLOWED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMITED'
  | 'QUOTA_EXCEEDED'
  | 'INTERNAL'
  | 'UNAVAILABLE';

export type ClientCode =
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'RELAY_FAILED'
  | 'INVALID_MANIFEST'
  | 'UNSUPPORTED_SCHEMA'
  | 'UNSUPPORTED_TRANSPORT'
  | 'SESSION_EXPIRED'
  | 'SESSION_USED'
  | 'CONNECT_FAILED'
  | 'CONNECTION_LOST'
  | 'MIC_UNAVAILABLE'
  | 'AUDIO_BLOCKED'
  | 'RENDERER_FAILED'
  | 'RUNTIME'
  | 'NOT_A_BROWSER';

export interface ExperienceError extends Error {
  readonly code: ServiceCode | ClientCode;
  /** Whether the error ended the session or the attempt to start one. */
  readonly fatal: boolean;
  /** Whether another start may succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
  readonly requestId?: string;
  readonly details?: unknown;
  /** Advice for developers; not shown to visitors. */
  readonly hint?: string;
}

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
    dropped(): void;
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
