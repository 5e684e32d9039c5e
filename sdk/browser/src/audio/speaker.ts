import type { SessionOutput } from '../core/audio.ts';
import { ExperienceError } from '../core/experience-error.ts';
import type { Connection, Events } from '../types.ts';

const timeoutMs = 2000;

/**
 * Creates the output: volume, muting, and whether the browser's autoplay policy blocks it. `unlockSpeech` is called in the click handlers
 * that start a session or unblock the output.
 */
export function createSpeaker(
  changed: (state: Events['outputChange']) => void,
  unlockSpeech?: () => void,
): SessionOutput {
  let audio: AudioContext | undefined;
  let played: Pick<Connection, 'setVolume' | 'level'> | undefined;

  const report = () => {
    const { blocked, muted, volume } = output;
    changed({ blocked, muted, volume });
  };
  const applyVolume = () => played?.setVolume(output.muted ? 0 : output.volume);
  const setVolume = (muted: boolean, volume: number) => {
    if (muted === output.muted && volume === output.volume) return;
    Object.assign(output, { muted, volume });
    applyVolume();
    report();
  };
  const checkBlocked = () => {
    const blocked = !!played && !!audio && audio.state !== 'running';
    if (blocked === output.blocked) return;
    output.blocked = blocked;
    report();
  };

  const output = {
    blocked: false,
    muted: false,
    volume: 1,
    open: (opened: AudioContext | undefined) => {
      audio = opened;
      unlockSpeech?.();
    },
    play: (connection: Pick<Connection, 'setVolume' | 'level'>) => {
      played = connection;
      applyVolume();
      audio?.addEventListener('statechange', checkBlocked);
      checkBlocked();
    },
    close: () => {
      audio?.removeEventListener('statechange', checkBlocked);
      audio = played = undefined;
      checkBlocked();
    },
    /** Rejects if the context does not run within 2 s: without a user gesture, `resume()` stays pending and never rejects. */
    unblock: async () => {
      unlockSpeech?.();
      const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs));
      await Promise.race([audio?.resume(), timeout]);
      checkBlocked();
      if (output.blocked)
        throw new ExperienceError('AUDIO_BLOCKED', 'The browser waits for a tap.', {
          fatal: false,
          retryable: true,
        });
    },
    mute: () => setVolume(true, output.volume),
    unmute: () => setVolume(false, output.volume),
    setVolume: (volume: number) => {
      if (!(volume >= 0 && volume <= 1)) throw new TypeError('volume must be from 0 to 1');
      setVolume(output.muted, volume);
    },
    level: () => played?.level?.() ?? 0,
  };
  return output;
}
