import { Mic } from '../audio/microphone.ts';
import { Speaker } from '../audio/speaker.ts';
import type { PageSpeech } from '../transport/page-speech.ts';
import { giveUpAfterMs, reconnectDelay } from '../transport/reconnect.ts';
import { websocket } from '../transport/websocket.ts';
import type {
  EndReason,
  Events,
  Experience,
  Message,
  MintFields,
  Mode,
  Player,
  PlayerOptions,
  SessionFacts,
  SessionManifest,
  State,
  TransportContext,
} from '../types.ts';
import { Attempt } from './attempt.ts';
import { Emitter } from './emitter.ts';
import { type Environment, randomId } from './environment.ts';
import { aborted, ExperienceError, expired, isFull } from './experience-error.ts';
import { serviceUrl } from './home.ts';
import { type Fresh, readLaunch } from './manifest.ts';
import { mint } from './mint.ts';
import type { Checked } from './options.ts';
import { transportFor } from './plug-ins.ts';

const longestText = 4000;
const lost = 'connection-lost';
const running: readonly State[] = ['minting', 'connecting', 'live', 'reconnecting'];

/** The environment with the optional speech synthesis and recognition of the browser. */
type Surroundings = Environment & { speech?: PageSpeech };

export type Attach = (
  experience: LiveExperience,
  target: Element | string,
  options: PlayerOptions | undefined,
) => Player;

/** An experience on a page. Has one session at a time and can be started again after it ended. */
export class LiveExperience extends Emitter implements Experience {
  state: State = 'idle';
  mode: Mode | null = null;
  error: ExperienceError | null = null;
  session: SessionFacts | null = null;
  endReason: EndReason | undefined;
  /** The latest engines and suggestions from the runtime, for players that are attached later. */
  engines: unknown;
  suggestions: Events['suggestions'] = [];
  readonly mic: Mic;
  readonly output: Speaker;
  readonly options: Checked;
  readonly #env: Surroundings;
  readonly #attach: Attach;
  readonly #createdAt: number;
  /** Manifest of the `launch` option; available before the start. */
  readonly #given: SessionManifest | undefined;
  #isGivenUsed = false;
  #messages: Message[] = [];
  #unsent: { id: string; text: string }[] = [];
  #request: MintFields = {};
  #attempt: Attempt | undefined;
  #started: Promise<void> | undefined;
  /** Whether the experience was started and not ended by the page since. */
  #isWanted = false;

  constructor(env: Surroundings, options: Checked, attach: Attach) {
    super();
    this.#env = env;
    this.options = options;
    this.#attach = attach;
    this.mic = new Mic(env, (status) => this.emit('micChange', status));
    this.output = new Speaker((state) => this.emit('outputChange', state));
    this.#createdAt = env.now();
    try {
      if (options.source.kind === 'launch') this.#given = readLaunch(options.source.launch, 0).manifest;
    } catch {
      // `start` parses the launch again and rejects with the error.
    }
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Manifest of the session, for players and renderers. It contains the token, so it is not part of the public interface. */
  get manifest(): SessionManifest | undefined {
    return this.#attempt?.manifest ?? this.#given;
  }

  /** Whether the last session ended because the runtime shut down. */
  get wasCutShort(): boolean {
    return this.#attempt?.isRestarting ?? false;
  }

  /** URL of the service: from the options, from the URL of the served script, or from the manifest's leave link. */
  get baseUrl(): string | undefined {
    return (
      this.options.baseUrl ?? serviceUrl(this.manifest?.links?.leave?.replace(/\/v1\/sessions\/.*$/, ''))
    );
  }

  /** Called before each start with the mint fields, which it may change. If it returns false, `start` rejects with ABORTED. */
  beforeStart: (request: MintFields) => boolean = () => true;

  start(): Promise<void> {
    if (this.#started && running.includes(this.state)) return this.#started;
    if (!this.#env.isBrowser)
      return Promise.reject(new ExperienceError('NOT_A_BROWSER', 'A session needs a browser.'));
    const request = { ...this.options.fields };
    if (this.options.signal?.aborted || !this.beforeStart(request)) return Promise.reject(aborted());
    this.#request = request;
    this.#isWanted = true;
    const attempt = new Attempt(this.#env, this.options.leaveUrl);
    this.#attempt = attempt;
    this.mode = null;
    this.error = null;
    this.session = null;
    this.endReason = undefined;
    this.engines = undefined;
    this.suggestions = [];
    this.#messages = [];
    this.#unsent = [];
    this.output.open(attempt.audio);
    attempt.undoLater(() => this.output.close());
    attempt.undoLater(() => this.mic.close());
    attempt.undoLater(this.#env.onPageHide(() => this.#finish(attempt, 'pagehide')));
    const { signal } = attempt;
    this.options.signal?.addEventListener('abort', () => this.#finish(attempt, 'aborted'), { signal });
    this.#started = this.#run(attempt);
    // Prevents an unhandled rejection if the caller ignores the promise; `error` has the failure, too.
    this.#started.catch(() => {});
    return this.#started;
  }

  end(): Promise<void> {
    return this.endBecause('user');
  }

  /** As `end`, with another reason; used by the player. */
  async endBecause(reason: EndReason): Promise<void> {
    this.#isWanted = false;
    if (this.#attempt) this.#finish(this.#attempt, reason);
  }

  sendText(text: string): void {
    const said = text.trim();
    if (said === '') return;
    if (said.length > longestText) throw new TypeError(`a text has at most ${longestText} characters`);
    if (!running.includes(this.state)) throw new TypeError('call start() first');
    const id = randomId();
    this.#say({ id, role: 'user', text: said, status: 'final' });
    if (this.state === 'live') this.#attempt?.connection?.sendText(said, id);
    else this.#unsent.push({ id, text: said });
  }

  interrupt(): void {
    this.#attempt?.connection?.interrupt();
  }

  attach(target: Element | string, options?: PlayerOptions): Player {
    return this.#attach(this, target, options);
  }

  /** Receive cues and video tracks from the transport; set by the player. */
  onCue: (cue: unknown) => void = () => {};
  onVideo: (track: MediaStreamTrack | null) => void = () => {};

  async #run(attempt: Attempt): Promise<void> {
    try {
      this.#become('minting');
      await this.#connect(attempt, await this.#launch(attempt), true);
      if (attempt.isOver) throw aborted();
    } catch (error) {
      const found = readable(error);
      if (!attempt.isOver) this.#fail(attempt, found);
      throw found;
    }
  }

  async #launch(attempt: Attempt): Promise<Fresh> {
    const { source } = this.options;
    if (source.kind !== 'launch')
      return mint(this.#env, source, this.#request, attempt.signal, (late) => attempt.leave(late));
    if (this.#isGivenUsed) throw new ExperienceError('SESSION_USED', 'A launch can start only once.');
    this.#isGivenUsed = true;
    const given = readLaunch(source.launch, this.#createdAt);
    if (Date.parse(given.manifest.expiresAt) <= Date.now()) throw expired();
    return given;
  }

  async #connect(attempt: Attempt, fresh: Fresh, mayMintAgain: boolean): Promise<void> {
    const { manifest } = fresh;
    attempt.fresh = fresh;
    const factory = transportFor(
      manifest.transport.type,
      this.options.transports,
      websocket(this.#env.speech),
    );
    const { sessionId, locale, secondaryLocale, livemode, capabilities, characters } = manifest;
    this.session = {
      sessionId,
      locale,
      livemode,
      capabilities: [...capabilities],
      characters: characters.map(({ characterId, name }) => ({ characterId, name })),
      ...(secondaryLocale && { secondaryLocale }),
    };
    if (this.state === 'minting') this.#become('connecting');
    if (attempt.isOver) throw aborted();
    // Only for the first launch: minting again must not repeat the microphone prompt.
    if (mayMintAgain) this.#openMic(attempt, manifest);
    try {
      if (this.#env.now() > fresh.deadline) throw expired();
      const open = await factory.load();
      if (attempt.isOver) throw aborted();
      attempt.connection = await open(this.#context(attempt, fresh));
      // The session was ended while the transport was connecting: close the new connection.
      if (attempt.isOver) attempt.connection.close(this.endReason ?? 'user');
    } catch (error) {
      const found = readable(error);
      const isGiven = this.options.source.kind === 'launch';
      if (isGiven && isFull(found)) {
        // The runtime did not consume the token: a later start can connect with it.
        this.#isGivenUsed = false;
        attempt.fresh = undefined;
      }
      const isRefused = found.code === 'SESSION_EXPIRED' || found.code === 'SESSION_USED';
      if (!isRefused || !mayMintAgain || isGiven || attempt.isOver) throw error;
      attempt.leave(fresh);
      attempt.fresh = undefined;
      return this.#connect(attempt, await this.#launch(attempt), false);
    }
    if (attempt.isOver) throw aborted();
    this.output.play(attempt.connection);
    attempt.connection.setMic(this.mic.track);
    this.#become('live');
    this.#flush(attempt);
  }

  #openMic(attempt: Attempt, { capabilities, speechInputMode }: SessionManifest): void {
    const isAllowed = capabilities.includes('speech-input') && speechInputMode !== 'off';
    const give = (track: MediaStreamTrack | null) => attempt.connection?.setMic(track);
    this.mic.open({ isAllowed, audio: attempt.audio, give });
    if (!isAllowed || speechInputMode !== 'auto') return;
    this.mic.enable().catch((error) => {
      if (!attempt.isOver) this.emit('error', error);
    });
  }

  #context(attempt: Attempt, { manifest }: Fresh): TransportContext {
    const ifCurrent =
      <T extends unknown[]>(work: (...values: T) => void) =>
      (...values: T) => {
        if (!attempt.isOver && attempt === this.#attempt) work(...values);
      };
    return {
      manifest,
      signal: attempt.signal,
      audio: attempt.audio as AudioContext,
      sdkUrl: `${this.baseUrl ?? ''}/sdk/v2/`,
      sink: {
        mode: ifCurrent((mode: Mode) => {
          if (mode === this.mode) return;
          this.mode = mode;
          this.emit('modeChange', mode);
        }),
        message: ifCurrent((message: Message) => this.#say(message)),
        video: ifCurrent((track: MediaStreamTrack | null) => this.onVideo(track)),
        cue: ifCurrent((cue: unknown) => this.onCue(cue)),
        event: ifCurrent((event: Events['runtimeEvent']) => {
          if (event.type === 'ended') attempt.isRestarting = event.reason === 'server_shutdown';
          this.#heard(event);
        }),
        dropped: ifCurrent(() => this.state === 'live' && this.#become('reconnecting')),
        resumed: ifCurrent(() => {
          if (this.state === 'reconnecting') this.#become('live');
          this.#flush(attempt);
        }),
        closed: ifCurrent((by: 'runtime' | 'error', code?: number) => {
          if (by === 'runtime' && code !== 1011) {
            this.#finish(attempt, 'runtime');
            if (attempt.isRestarting) this.#startAnew(attempt);
            return;
          }
          const [found, text, reason] =
            by === 'runtime'
              ? (['RUNTIME', 'The runtime ended the session.', by] as const)
              : (['CONNECTION_LOST', 'The connection was lost.', lost] as const);
          this.#fail(attempt, new ExperienceError(found, text, { retryable: true }), reason);
        }),
      },
    };
  }

  /**
   * Starts a new session after the runtime shut down. Repeats retryable failures other than 429 until `giveUpAfterMs` has passed or the
   * experience is ended.
   */
  #startAnew(attempt: Attempt | undefined, until = this.#env.now() + giveUpAfterMs, tries = 2): void {
    if (this.options.source.kind === 'launch') return;
    // A page that is restored from the back/forward cache does not start a session automatically.
    const stay = this.#env.onPageHide(() => {
      this.#isWanted = false;
    });
    this.#env.setTimeout(() => {
      stay();
      if (!this.#isWanted || this.#attempt !== attempt || this.#env.now() > until) return;
      this.start().catch(({ retryable, status }) => {
        if (retryable && status !== 429) this.#startAnew(next, until, tries + 1);
      });
      const next = this.#attempt;
    }, reconnectDelay(tries));
  }

  #heard(event: Events['runtimeEvent']): void {
    if (event.type === 'suggestions') {
      this.suggestions = event.items as Events['suggestions'];
      this.emit('suggestions', this.suggestions);
    }
    if (event.type === 'error' && event.fatal === false)
      this.emit(
        'error',
        new ExperienceError('RUNTIME', String(event.message), { fatal: false, details: event.code }),
      );
    if (event.type === 'ready') {
      this.engines = event.engines;
      // Without speech recognition the microphone is not needed: release it.
      const { engines } = event as { engines?: { hearing?: { kind: string } } };
      if (engines?.hearing?.kind === 'none') this.mic.close();
    }
    this.emit('runtimeEvent', event);
  }

  #say(message: Message): void {
    const at = this.#messages.findIndex(({ id }) => id === message.id);
    this.#messages =
      at < 0 ? [...this.#messages, message] : this.#messages.map((one, i) => (i === at ? message : one));
    if (message.role === 'user' && message.status === 'final') this.suggestions = [];
    this.emit('message', message);
  }

  #flush(attempt: Attempt): void {
    for (const { id, text } of this.#unsent.splice(0)) attempt.connection?.sendText(text, id);
  }

  #fail(attempt: Attempt, error: ExperienceError, reason?: EndReason): void {
    attempt.close(reason ?? 'user');
    this.error = error;
    this.endReason = reason;
    this.mode = null;
    this.#tellDeveloper(error);
    this.#become('failed');
    this.emit('error', error);
    if (reason !== undefined) this.emit('ended', { reason, error });
  }

  #finish(attempt: Attempt, reason: EndReason): void {
    if (attempt.isOver) return;
    this.endReason = reason;
    this.mode = null;
    // Synchronous: timers and promises may not run any more after `pagehide`.
    attempt.close(reason);
    this.#become('ending');
    this.#become('ended');
    this.emit('ended', { reason });
  }

  /** Logs the error with its hint. The player shows visitors a neutral message instead. */
  #tellDeveloper(error: ExperienceError): void {
    const { code, hint, requestId, status } = error;
    const text = [`${code}: ${error.message}`, hint, requestId && `(request ${requestId})`]
      .filter(Boolean)
      .join(' ');
    this.options.log?.('error', text);
    if (status === 403 || hint !== undefined) this.#env.warn(`session-launch: ${text}`);
  }

  #become(state: State): void {
    if (state === this.state) return;
    this.state = state;
    this.emit('stateChange', state);
  }
}

function readable(error: unknown): ExperienceError {
  if (error instanceof ExperienceError) return error;
  return new ExperienceError('CONNECT_FAILED', 'The session was not connected.', {
    cause: error,
    retryable: true,
    hint: String(error),
  });
}
