import type { SessionOutput } from '../core/audio.ts';
import { ExperienceError } from '../core/experience-error.ts';
import type { Connection, Events } from '../types.ts';

const patienceMs = 2000;

/** Volume and muting of the output, and whether the browser's autoplay policy blocks it. */
export class Speaker implements SessionOutput {
  blocked = false;
  muted = false;
  volume = 1;
  readonly #changed: (state: Events['outputChange']) => void;
  #audio: AudioContext | undefined;
  #played: Pick<Connection, 'setVolume' | 'level'> | undefined;

  constructor(changed: (state: Events['outputChange']) => void) {
    this.#changed = changed;
  }

  open(audio: AudioContext | undefined): void {
    this.#audio = audio;
  }

  play(played: Pick<Connection, 'setVolume' | 'level'>): void {
    this.#played = played;
    played.setVolume(this.muted ? 0 : this.volume);
    this.#audio?.addEventListener('statechange', this.#look);
    this.#look();
  }

  close(): void {
    this.#audio?.removeEventListener('statechange', this.#look);
    this.#audio = undefined;
    this.#played = undefined;
    this.#look();
  }

  /** Rejects if the context does not run within 2 s: without a user gesture, `resume()` stays pending and never rejects. */
  async unblock(): Promise<void> {
    const patience = new Promise((resolve) => setTimeout(resolve, patienceMs));
    await Promise.race([this.#audio?.resume(), patience]);
    this.#look();
    if (this.blocked)
      throw new ExperienceError('AUDIO_BLOCKED', 'The browser waits for a tap.', {
        fatal: false,
        retryable: true,
      });
  }

  mute(): void {
    this.#apply(true, this.volume);
  }

  unmute(): void {
    this.#apply(false, this.volume);
  }

  setVolume(volume: number): void {
    if (!(volume >= 0 && volume <= 1)) throw new TypeError('volume must be from 0 to 1');
    this.#apply(this.muted, volume);
  }

  level(): number {
    return this.#played?.level?.() ?? 0;
  }

  #apply(muted: boolean, volume: number): void {
    if (muted === this.muted && volume === this.volume) return;
    this.muted = muted;
    this.volume = volume;
    this.#played?.setVolume(muted ? 0 : volume);
    this.#tell();
  }

  #look = (): void => {
    const blocked = !!this.#played && !!this.#audio && this.#audio.state !== 'running';
    if (blocked === this.blocked) return;
    this.blocked = blocked;
    this.#tell();
  };

  #tell(): void {
    const { blocked, muted, volume } = this;
    this.#changed({ blocked, muted, volume });
  }
}
