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

/** The visitor's microphone: permission prompt, muting, device changes and release of the tracks. */
export class Mic implements SessionMicrophone {
  status: MicStatus = 'off';
  readonly #env: Environment;
  readonly #changed: (status: MicStatus) => void;
  #session = closed;
  #stream: MediaStream | undefined;
  #meter: Meter | undefined;
  #deviceId: string | undefined;
  #asking: Promise<void> | undefined;
  /** Whether the pending request replaces the device of a muted microphone; the new track then starts muted. */
  #staysMuted = false;

  constructor(env: Environment, changed: (status: MicStatus) => void) {
    this.#env = env;
    this.#changed = changed;
  }

  open(session: MicSession): void {
    this.#session = session;
  }

  close(): void {
    this.#session = closed;
    this.#asking = undefined;
    this.#drop();
    this.#set('off');
  }

  get track(): MediaStreamTrack | null {
    return this.status === 'on' ? (this.#stream?.getAudioTracks()[0] ?? null) : null;
  }

  /** Requests the microphone; concurrent calls share one request. Rejects if none is available; the session continues without it. */
  enable(): Promise<void> {
    this.#staysMuted = false;
    if (this.#stream) {
      this.unmute();
      return Promise.resolve();
    }
    this.#asking ??= this.#ask(this.#session).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  mute(): void {
    if (this.status === 'on') this.#hush();
  }

  unmute(): void {
    if (!this.#stream) {
      this.enable().catch(() => {});
      return;
    }
    this.#enableTracks(true);
    this.#set('on');
    this.#session.give(this.track);
  }

  level(): number {
    return this.status === 'on' ? (this.#meter?.level() ?? 0) : 0;
  }

  async setDevice(id: string): Promise<void> {
    this.#deviceId = id;
    if (!this.#stream) return;
    const isMuted = this.status === 'muted';
    this.#session.give(null);
    this.#drop();
    const enabled = this.enable();
    this.#staysMuted = isMuted;
    await enabled;
  }

  async #ask(session: MicSession): Promise<void> {
    if (!session.isAllowed) throw unavailable('The session takes no speech, or is not live.');
    const media = this.#env.media();
    if (!media?.getUserMedia) {
      this.#set(this.#env.isSecure ? 'missing' : 'insecure');
      throw unavailable('A microphone needs https or localhost.');
    }
    this.#set('prompting');
    let stream: MediaStream;
    try {
      stream = await media.getUserMedia({
        audio: {
          echoCancellation: true,
          noiseSuppression: true,
          autoGainControl: true,
          deviceId: this.#deviceId === undefined ? {} : { exact: this.#deviceId },
        },
      });
    } catch (cause) {
      if (session !== this.#session) throw unavailable('The session has ended.', cause);
      const status = statusOf[(cause as DOMException).name] ?? 'missing';
      this.#set(status === 'denied' && this.#env.isMicForbidden() ? 'blocked-by-policy' : status);
      throw unavailable((cause as Error).message || 'No microphone was found.', cause);
    }
    if (session !== this.#session) {
      for (const track of stream.getTracks()) track.stop();
      throw unavailable('The session has ended.');
    }
    this.#stream = stream;
    if (session.audio) this.#meter = meterOf(session.audio, stream);
    for (const track of stream.getAudioTracks())
      track.addEventListener('ended', () => this.#unplugged(stream));
    if (this.#staysMuted) this.#hush();
    else this.unmute();
  }

  #hush(): void {
    this.#enableTracks(false);
    this.#set('muted');
    this.#session.give(null);
  }

  #unplugged(stream: MediaStream): void {
    if (stream !== this.#stream) return;
    this.#session.give(null);
    this.#drop();
    this.#set('missing');
  }

  #drop(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#meter?.close();
    this.#stream = undefined;
    this.#meter = undefined;
  }

  #enableTracks(enabled: boolean): void {
    for (const track of this.#stream?.getAudioTracks() ?? []) track.enabled = enabled;
  }

  #set(status: MicStatus): void {
    if (status === this.status) return;
    this.status = status;
    this.#changed(status);
  }
}

function unavailable(message: string, cause?: unknown): ExperienceError {
  return new ExperienceError('MIC_UNAVAILABLE', message, { fatal: false, retryable: true, cause });
}
