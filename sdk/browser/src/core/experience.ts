import type {
  Availability,
  EndReason,
  Events,
  Experience,
  Message,
  MicStatus,
  MintFields,
  Mode,
  Player,
  PlayerOptions,
  SessionManifest,
  TransportContext,
  TransportFactory,
} from '../types.ts';
import * as wire from '../wire.ts';
import { Attempt } from './attempt.ts';
import type { SessionMicrophone, SessionOutput } from './audio.ts';
import { availability } from './availability.ts';
import { type Environment, randomId } from './environment.ts';
import {
  aborted,
  closeErrorOf,
  describe,
  ExperienceError,
  expired,
  isFull,
  toExperienceError,
} from './experience-error.ts';
import { ExperienceState } from './experience-state.ts';
import { type Launches, launchesOf } from './launches.ts';
import { factsOf, type Launched, originOf } from './manifest.ts';
import type { Checked } from './options.ts';
import { transportFor } from './plug-ins.ts';
import { giveUpAfterMs, reconnectDelay } from './reconnect.ts';
import { callSafely } from './report.ts';
import { serviceUrl } from './service-url.ts';

/** The parts outside the core that an experience uses. The entry points pass them in. */
export interface Deps {
  /** The built-in transports. */
  transports: readonly TransportFactory[];
  createMicrophone(env: Environment, changed: (status: MicStatus) => void): SessionMicrophone;
  createSpeaker(changed: (state: Events['outputChange']) => void): SessionOutput;
  attach(experience: LiveExperience, target: Element | string, options: PlayerOptions | undefined): Player;
}

/** An experience on a page. Has one session at a time and can be started again after it ended. */
export class LiveExperience extends ExperienceState implements Experience {
  declare readonly mic: SessionMicrophone;
  declare readonly output: SessionOutput;
  declare readonly options: Checked;
  readonly #env: Environment;
  readonly #deps: Deps;
  readonly #launches: Launches;
  #attempt: Attempt | undefined;
  #started: Promise<void> | undefined;
  /** Whether the experience was started and not ended by the page since. */
  #isWanted = false;

  constructor(env: Environment, options: Checked, deps: Deps) {
    super();
    this.#env = env;
    this.options = options;
    this.#deps = deps;
    this.mic = deps.createMicrophone(env, (status) => this.emit('micChange', status));
    this.output = deps.createSpeaker((state) => this.emit('outputChange', state));
    this.#launches = launchesOf(env, options.source);
  }

  /** Manifest of the session, for players and renderers. It contains the token, so it is not part of the public interface. */
  get manifest(): SessionManifest | undefined {
    return this.#attempt?.launched?.manifest ?? this.#launches.given;
  }

  /** Whether the last session ended because the runtime shut down. */
  get wasCutShort(): boolean | undefined {
    return this.#attempt?.isRestarting;
  }

  /** URL of the service: from the options, from the URL of the served script, or from the manifest's leave link. */
  get baseUrl(): string | undefined {
    return this.options.baseUrl ?? serviceUrl(this.manifest && originOf(this.manifest));
  }

  /** Called before each start with the mint fields, which it may change. If it returns false, `start` rejects with ABORTED. */
  beforeStart: (request: MintFields) => boolean = () => true;
  /** Called for cues of the transport, and when `video` has changed; set by the player. */
  onCue: (cue: unknown) => void = () => {};
  onVideo: () => void = () => {};

  start(): Promise<void> {
    this.#isWanted = true;
    // A handler may call this during the last events of an attempt: start the next one after all of them.
    const started = this.emitting ? Promise.resolve().then(() => this.#join()) : this.#join();
    // Prevents an unhandled rejection if the caller ignores the promise; `error` has the failure, too.
    started.catch(() => {});
    return started;
  }

  /** Returns the promise of the running attempt, or of a new one. */
  #join(): Promise<void> {
    if (!this.isRunning) this.#started = this.#run();
    return this.#started!;
  }

  availability(): Promise<Availability> {
    return availability(this.#env, this.options.source);
  }

  end(): Promise<void> {
    return this.endBecause('user');
  }

  /** As `end`, with another reason; used by the player. */
  async endBecause(reason: EndReason): Promise<void> {
    this.#isWanted = false;
    if (this.#attempt) this.#end(this.#attempt, reason);
  }

  sendText(text: string): void {
    const said = text.trim();
    if (said === '') return;
    if (said.length > wire.maxTextCharacters)
      throw new TypeError(`a text has at most ${wire.maxTextCharacters} characters`);
    if (!this.isRunning) throw new TypeError('call start() first');
    const id = randomId();
    this.addMessage({ id, role: 'user', text: said, status: 'final' });
    if (this.state === 'live') this.#attempt?.connection?.sendText(said, id);
    else this.#attempt?.unsent.push({ id, text: said });
  }

  interrupt(): void {
    this.#attempt?.connection?.interrupt();
  }

  attach(target: Element | string, options?: PlayerOptions): Player {
    return this.#deps.attach(this, target, options);
  }

  async #run(): Promise<void> {
    if (!this.#env.isBrowser) throw new ExperienceError('NOT_A_BROWSER', 'A session needs a browser.');
    const request = { ...this.options.fields };
    if (!this.#isWanted || this.options.signal?.aborted || !this.beforeStart(request)) throw aborted();
    const attempt = new Attempt(this.#env, this.options.leaveUrl, request);
    this.#attempt = attempt;
    this.reset();
    this.output.open(attempt.audio);
    const { signal } = attempt;
    const stopListening = this.#env.onPageHide(() => this.#end(attempt, 'pagehide'));
    signal.addEventListener('abort', () => {
      this.output.close();
      this.mic.close();
      stopListening();
    });
    this.options.signal?.addEventListener('abort', () => this.#end(attempt, 'aborted'), { signal });
    try {
      this.setState('minting');
      await this.#connect(attempt, await this.#launch(attempt), true);
      if (attempt.isOver) throw aborted();
    } catch (error) {
      const found = toExperienceError(error);
      this.#end(attempt, undefined, found);
      throw found;
    }
  }

  #launch(attempt: Attempt): Promise<Launched> {
    return this.#launches.next(attempt.request, attempt.signal, attempt.leave);
  }

  async #connect(attempt: Attempt, launched: Launched, mayMintAgain: boolean): Promise<void> {
    if (attempt.isOver) throw aborted();
    const { manifest } = launched;
    attempt.launched = launched;
    const factory = transportFor(manifest.transport.type, this.options.transports, this.#deps.transports);
    this.session = factsOf(manifest);
    if (this.state === 'minting') this.setState('connecting');
    if (attempt.isOver) throw aborted();
    // Only for the first launch: minting again must not repeat the microphone prompt.
    if (mayMintAgain) this.#openMic(attempt, manifest);
    try {
      if (this.#env.now() > launched.deadline) throw expired();
      const open = await factory.load();
      if (attempt.isOver) throw aborted();
      attempt.connection = await open(this.#context(attempt, launched));
      // The session was ended while the transport was connecting: close the new connection.
      if (attempt.isOver) callSafely(() => attempt.connection?.close(this.endReason ?? 'user'));
    } catch (error) {
      const found = toExperienceError(error);
      const { canMint } = this.#launches;
      if (!canMint && isFull(found)) {
        // The runtime did not consume the token: a later start can connect with it.
        this.#launches.reuse?.();
        attempt.launched = undefined;
      }
      const isUsed = found.code === 'SESSION_USED';
      // Another page may have the session, which must not be ended for it.
      if (isUsed) attempt.launched = undefined;
      const isRefused = isUsed || found.code === 'SESSION_EXPIRED';
      if (!isRefused || !mayMintAgain || !canMint || attempt.isOver) throw error;
      if (attempt.launched) attempt.leave(launched);
      attempt.launched = undefined;
      return this.#connect(attempt, await this.#launch(attempt), false);
    }
    if (attempt.isOver) throw aborted();
    this.output.play(attempt.connection);
    attempt.connection.setMic(this.mic.track);
    this.setState('live');
    attempt.sendUnsent();
  }

  #openMic(attempt: Attempt, { capabilities, speechInputMode }: SessionManifest): void {
    const isAllowed = capabilities.includes('speech-input') && speechInputMode !== 'off';
    const give = (track: MediaStreamTrack | null) => attempt.connection?.setMic(track);
    this.mic.open({ isAllowed, audio: attempt.audio, give });
    if (!isAllowed || speechInputMode !== 'auto') return;
    this.mic.request().catch((error) => {
      // `off`: the microphone was released during the prompt, because the runtime does not need it.
      if (!attempt.isOver && this.mic.status !== 'off') this.emit('error', error);
    });
  }

  #context(attempt: Attempt, { manifest }: Launched): TransportContext {
    const ifOpen =
      <T extends unknown[]>(work: (...values: T) => void) =>
      (...values: T) => {
        if (!attempt.isOver) work(...values);
      };
    return {
      manifest,
      signal: attempt.signal,
      audio: attempt.audio as AudioContext,
      sdkUrl: `${this.baseUrl ?? ''}/sdk/v2/`,
      sink: {
        mode: ifOpen((mode: Mode) => this.setMode(mode)),
        message: ifOpen((message: Message) => this.addMessage(message)),
        video: ifOpen((track: MediaStreamTrack | null) => {
          this.video = track;
          this.onVideo();
        }),
        cue: ifOpen((cue: unknown) => this.onCue(cue)),
        event: ifOpen((event: Events['runtimeEvent']) => {
          if (event.type === 'ended') attempt.isRestarting = event.reason === 'server_shutdown';
          const { hearing } = Object(event.engines) as { hearing?: { kind: string } };
          // Without speech recognition the microphone is not needed: release it.
          if (hearing?.kind === 'none') this.mic.close();
          this.addEvent(event);
        }),
        dropped: ifOpen((code?: number) => {
          callSafely(() => this.options.log?.('warn', `The connection was lost (${code ?? 'unknown'}).`));
          if (this.state === 'live') this.setState('reconnecting');
        }),
        resumed: ifOpen(() => {
          if (this.state === 'reconnecting') this.setState('live');
          attempt.sendUnsent();
        }),
        closed: ifOpen((by: 'runtime' | 'error', code?: number) => {
          const error = closeErrorOf(by, code);
          this.#end(attempt, by === 'error' ? 'connection-lost' : by, error);
          if (attempt.isRestarting && !error) this.#restart(attempt);
        }),
      },
    };
  }

  /**
   * Starts a new session after the runtime shut down. Repeats retryable failures other than 429 until `giveUpAfterMs` has passed or the
   * experience is ended.
   */
  #restart(attempt: Attempt | undefined, until = this.#env.now() + giveUpAfterMs, tries = 2): void {
    if (!this.#launches.canMint) return;
    // A page that is restored from the back/forward cache does not start a session automatically.
    const stopListening = this.#env.onPageHide(() => {
      this.#isWanted = false;
    });
    this.#env.setTimeout(() => {
      stopListening();
      if (!this.#isWanted || this.#attempt !== attempt || this.#env.now() > until) return;
      this.start().catch(({ retryable, status }) => {
        if (retryable && status !== 429) this.#restart(next, until, tries + 1);
      });
      const next = this.#attempt;
    }, reconnectDelay(tries));
  }

  /** Ends the attempt; with an error it has failed. Synchronous: timers and promises may not run any more after `pagehide`. */
  #end(attempt: Attempt, reason: EndReason | undefined, error?: ExperienceError): void {
    if (attempt.isOver) return;
    this.endReason = reason;
    this.mode = null;
    attempt.close(reason ?? 'user', this.state === 'reconnecting' && !error);
    if (error) {
      this.error = error;
      // For developers: the player shows visitors a neutral message.
      const text = describe(error);
      callSafely(() => this.options.log?.('error', text));
      if (error.hint) this.#env.warn(`session-launch: ${text}`);
      this.setState('failed');
      this.emit('error', error);
    } else {
      this.setState('ending');
      this.setState('ended');
    }
    if (reason) this.emit('ended', { reason, ...(error && { error }) });
  }
}
