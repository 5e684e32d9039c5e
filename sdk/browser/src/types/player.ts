import type { defaultTexts } from '../default-texts.ts';
import type { ExperienceError } from './errors.ts';
import type { EndReason, MicStatus, Mode, State } from './session.ts';

export type TextKey = keyof typeof defaultTexts;

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
