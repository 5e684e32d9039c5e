import type { ExperienceError } from './errors.ts';
import type { EndReason, MicStatus, Mode, State } from './session.ts';

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
