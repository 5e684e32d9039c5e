import type { MicSession, SessionMicrophone } from '../core/audio.ts';
import type { Environment } from '../core/environment.ts';
import { ExperienceError } from '../core/experience-error.ts';
import type { MicStatus } from '../types.ts';
import { type Meter, meterOf } from './meter.ts';

const closed: MicSession = { isAllowed: false, audio: undefined, give: () => {} };

const statusOf: Record<string, MicStatus> = {
  NotReadableError: 'busy',
  AbortError: 'busy',
  NotAllowedError: 'denied',
  SecurityError: 'denied',
};

/** Creates the visitor's microphone: permission prompt, muting, device changes and release of the tracks. */
export function createMicrophone(env: Environment, changed: (status: MicStatus) => void): SessionMicrophone {
  let session = closed;
  let stream: MediaStream | undefined;
  let meter: Meter | undefined;
  let deviceId: string | undefined;
  let request: Promise<void> | undefined;
  /** Whether the pending request replaces the device of a muted microphone; the new track then starts muted. */
  let staysMuted = false;

  const setStatus = (next: MicStatus) => {
    if (next === mic.status) return;
    mic.status = next;
    changed(next);
  };
  const setEnabled = (enabled: boolean) => {
    for (const track of stream?.getAudioTracks() ?? []) track.enabled = enabled;
    setStatus(enabled ? 'on' : 'muted');
    session.give(mic.track);
  };
  const release = () => {
    for (const track of stream?.getTracks() ?? []) track.stop();
    meter?.close();
    stream = meter = undefined;
  };

  const ask = async (asking: MicSession): Promise<void> => {
    if (!asking.isAllowed) throw unavailable('The session does not accept speech, or is not live.');
    const media = env.media();
    if (!media?.getUserMedia) {
      setStatus(env.isSecure ? 'missing' : 'insecure');
      throw unavailable('A microphone needs https or localhost.');
    }
    setStatus('prompting');
    let found: MediaStream;
    try {
      found = await media.getUserMedia({
        audio: {
          echoCancellation: true,
          noiseSuppression: true,
          autoGainControl: true,
          deviceId: deviceId === undefined ? {} : { exact: deviceId },
        },
      });
    } catch (cause) {
      if (asking !== session) throw unavailable('The session has ended.', cause);
      const why = statusOf[(cause as DOMException).name] ?? 'missing';
      setStatus(why === 'denied' && env.isMicForbidden() ? 'blocked-by-policy' : why);
      throw unavailable((cause as Error).message || 'No microphone was found.', cause);
    }
    if (asking !== session) {
      for (const track of found.getTracks()) track.stop();
      throw unavailable('The session has ended.');
    }
    stream = found;
    if (asking.audio) meter = meterOf(asking.audio, found);
    for (const track of found.getAudioTracks())
      track.addEventListener('ended', () => {
        if (stream !== found) return;
        session.give(null);
        release();
        setStatus('missing');
      });
    setEnabled(!staysMuted);
  };

  const mic: SessionMicrophone & { status: MicStatus } = {
    status: 'off',
    get track() {
      return mic.status === 'on' ? (stream?.getAudioTracks()[0] ?? null) : null;
    },
    open: (opened) => {
      session = opened;
    },
    close: () => {
      session = closed;
      request = undefined;
      release();
      setStatus('off');
    },
    /** Concurrent calls share one request. Rejects if no microphone is available; the session continues without it. */
    enable: async () => {
      staysMuted = false;
      if (stream) return setEnabled(true);
      request ??= ask(session).finally(() => {
        request = undefined;
      });
      return request;
    },
    mute: () => {
      if (mic.status === 'on') setEnabled(false);
    },
    unmute: () => void mic.enable().catch(() => {}),
    level: () => (mic.status === 'on' ? (meter?.level() ?? 0) : 0),
    setDevice: async (id) => {
      deviceId = id;
      if (!stream) return;
      const isMuted = mic.status === 'muted';
      session.give(null);
      release();
      const enabled = mic.enable();
      staysMuted = isMuted;
      await enabled;
    },
  };
  return mic;
}

function unavailable(message: string, cause?: unknown): ExperienceError {
  return new ExperienceError('MIC_UNAVAILABLE', message, { fatal: false, retryable: true, cause });
}
