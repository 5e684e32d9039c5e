import type { MicSession, SessionMicrophone } from '../core/audio.ts';
import type { Environment } from '../core/environment.ts';
import { ExperienceError } from '../core/experience-error.ts';
import type { MicStatus } from '../types.ts';
import { type Meter, meterOf } from './meter.ts';

const closed: MicSession = { isAllowed: false, give: () => {} };

const notAccepted = 'The session accepts no speech now.';
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
  /** Set by `mute`, reset by `enable`. Also applies to the tracks of later requests and sessions. */
  let isMuted = false;

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
    stop(stream);
    meter?.close();
    stream = meter = undefined;
  };

  const ask = async (asking: MicSession): Promise<void> => {
    if (!asking.isAllowed) throw unavailable(notAccepted);
    const media = env.media();
    if (!media?.getUserMedia) {
      setStatus(env.isSecure ? 'missing' : 'insecure');
      throw unavailable('A microphone needs https or localhost.');
    }
    setStatus('prompting');
    const asked = deviceId;
    let found: MediaStream | undefined;
    let cause: unknown;
    try {
      found = await media.getUserMedia({
        audio: {
          echoCancellation: true,
          noiseSuppression: true,
          autoGainControl: true,
          deviceId: asked === undefined ? {} : { exact: asked },
        },
      });
    } catch (error) {
      cause = error;
    }
    if (asking !== session) {
      stop(found);
      throw unavailable(notAccepted, cause);
    }
    const why = statusOf[(cause as DOMException | undefined)?.name ?? ''] ?? 'missing';
    // `setDevice` was called in the meantime. A denial applies to all devices.
    if (asked !== deviceId && why !== 'denied') {
      stop(found);
      return ask(asking);
    }
    if (!found) {
      setStatus(why === 'denied' && env.isMicForbidden() ? 'blocked-by-policy' : why);
      throw unavailable((cause as Error).message || 'No microphone was found.', cause);
    }
    release();
    stream = found;
    if (asking.audio) meter = meterOf(asking.audio, found);
    for (const track of found.getAudioTracks())
      track.addEventListener('ended', () => {
        if (stream !== found) return;
        session.give(null);
        release();
        setStatus('missing');
      });
    setEnabled(!isMuted);
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
    request: () => {
      if (request) return request;
      const own = ask(session).finally(() => {
        // After `close`, a new session may already have started another request.
        if (request === own) request = undefined;
      });
      request = own;
      return own;
    },
    enable: async () => {
      isMuted = false;
      return stream ? setEnabled(true) : mic.request();
    },
    mute: () => {
      isMuted = true;
      if (mic.status === 'on') setEnabled(false);
    },
    unmute: () => void mic.enable().catch(() => {}),
    level: () => (mic.status === 'on' ? (meter?.level() ?? 0) : 0),
    setDevice: async (id) => {
      deviceId = id;
      if (stream) {
        session.give(null);
        release();
        // A request that has its stream is complete, even if its promise is still pending.
        request = undefined;
      } else if (!request) return;
      await mic.request();
    },
  };
  return mic;
}

function stop(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

function unavailable(message: string, cause?: unknown): ExperienceError {
  return new ExperienceError('MIC_UNAVAILABLE', message, { fatal: false, retryable: true, cause });
}
