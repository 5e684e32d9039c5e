import type { Connected, ToolCallResult } from '@session-launch/contract/runtime/lifecycle';
import {
  bounds,
  type ClientMessage,
  closeCodes,
  type Hello,
  type RuntimeErrorCode,
} from '@session-launch/contract/runtime/protocol';
import type { EndReason } from '@session-launch/contract/session';
import { type Clock, guarded } from '../clock.ts';
import type { Character } from '../mind/mind.ts';
import type { OpusCodec } from '../opus/codec.ts';
import { RateWindow } from '../rate-window.ts';
import { TokenBucket } from '../token-bucket.ts';
import type { ClientConnection } from './client-connection.ts';
import { ConnectedTime } from './connected-time.ts';
import { type FrameFormat, opusFrames, pcmFrames } from './frame-source.ts';
import { Outbox } from './outbox.ts';
import type { OpenPartner, Partner } from './partner.ts';
import { chooseFormats, type Formats, readyEvent } from './ready.ts';
import { ResumeTickets } from './resume-tickets.ts';
import { SessionTimers } from './session-timers.ts';
import { SessionTools } from './session-tools.ts';
import { type Observer, TurnTaking } from './turn-taking.ts';
import { UserInput } from './user-input.ts';

export interface ConversationDeps {
  clock: Clock;
  partner: OpenPartner;
  /** Absent: all audio is PCM. */
  codec?: OpusCodec | undefined;
  resumeSeconds: number;
  newTicket(): string;
  observer: Observer;
  /** Has the service call a tool of the session. */
  callTool(sessionId: string, name: string, values: Record<string, unknown>): Promise<ToolCallResult>;
  /** Called exactly once, when the session ends. */
  ended(reason: EndReason, seconds: number): void;
}

const closing: Partial<Record<EndReason, number>> = {
  idle_timeout: closeCodes.idle,
  max_duration: closeCodes.maxDuration,
  api_request: closeCodes.endedByApi,
  client_left: closeCodes.endedByApi,
  server_shutdown: closeCodes.draining,
  runtime_error: closeCodes.fault,
};

/** One session from `ready` to `ended`, across reconnections. */
export class Conversation {
  readonly sessionId: string;
  /** The origin in the session's token. Absent for sessions that were minted with an API key. */
  readonly origin: string | undefined;
  /** Limits the frames of all connections of the session. */
  readonly frames: TokenBucket;
  readonly resumes: RateWindow;
  readonly #deps: ConversationDeps;
  readonly #connected: Connected;
  readonly #outbox = new Outbox();
  readonly #partner: Partner;
  readonly #timers: SessionTimers;
  readonly #turns: TurnTaking;
  readonly #input: UserInput;
  readonly #time: ConnectedTime;
  readonly #tickets: ResumeTickets;
  /** The formats of the current connection. */
  #formats: Formats = { input: 'pcm16', output: 'pcm16' };
  #isEnded = false;
  #isDraining = false;
  #cancelWait: () => void = () => {};

  constructor(deps: ConversationDeps, connected: Connected, hello: Hello, origin?: string) {
    const { session, manifest, limits } = connected;
    const { observer } = deps;
    const clock = guarded(deps.clock, (error) => this.#breakDown(error));
    this.sessionId = session.sessionId;
    this.origin = origin;
    const { framesPerSecond, frameCredit } = bounds;
    this.frames = new TokenBucket(clock, {
      perSecond: framesPerSecond,
      burst: framesPerSecond,
      credit: frameCredit,
    });
    this.resumes = new RateWindow(clock, bounds.resumesPerTenSeconds, 10_000);
    this.#deps = { ...deps, clock };
    this.#connected = connected;
    this.#time = new ConnectedTime(clock);
    this.#tickets = new ResumeTickets(deps.newTicket);
    this.#timers = new SessionTimers(clock, limits, {
      endingSoon: (secondsLeft) => this.#outbox.send({ type: 'notice', code: 'ENDING_SOON', secondsLeft }),
      idle: () => this.end('idle_timeout'),
      maximum: () => this.end('max_duration'),
    });
    const characters = manifest.characters.map(({ characterId, name, voice }) => ({
      characterId,
      name,
      voice: (voice ?? {}) as Record<string, unknown>,
    })) as [Character, ...Character[]];
    this.#partner = deps.partner({
      ...{ clock, connected, hello, characters, observer, tools: this.#tools() },
      safely: (work) => this.#safely(work),
    });
    const { dialogue, speechOutput, listen } = this.#partner;
    this.#turns = new TurnTaking({
      ...{ clock, dialogue, speechOutput, observer, characters },
      frames: () => this.#frames(),
      outbox: this.#outbox,
      timers: this.#timers,
      mode: session.mode,
      isDual: session.secondaryLocale !== undefined,
      messageEnded: () => {
        if (this.#isDraining) this.end('server_shutdown');
      },
      failed: (error) => this.#breakDown(error),
    });
    this.#input = new UserInput({
      ...{ clock, connected, listen },
      turns: this.#turns,
      outbox: this.#outbox,
      codec: deps.codec,
      hearingFailed: (error) => observer.engineFailed('hearing', error),
      safely: (work) => this.#safely(work),
    });
  }

  get seconds(): number {
    return this.#time.seconds;
  }

  /** Whether the client is disconnected and may resume. */
  get isWaiting(): boolean {
    return this.#outbox.connection === undefined;
  }

  acceptsTicket(ticket: string): boolean {
    return this.#tickets.accepts(ticket);
  }

  /** The client has received the resume ticket of the current connection. */
  ticketReceived(): void {
    this.#tickets.received();
  }

  /** Starts the session on its first connection. */
  begin(connection: ClientConnection, hello: Pick<Hello, 'audio'> = {}): void {
    this.#safely(() => {
      this.#timers.start();
      this.#open(connection, hello, false);
      this.#turns.open();
    });
  }

  /** Continues the session on another connection of the same client. */
  resume(
    connection: ClientConnection,
    { ticket, lastSeq }: NonNullable<Hello['resume']>,
    hello: Pick<Hello, 'audio'> = {},
  ): void {
    // The old connection may be lost without the runtime having noticed.
    this.#outbox.connection?.close(closeCodes.draining, 'resumed elsewhere');
    this.#disconnect();
    this.#cancelWait();
    this.#input.resumed();
    this.frames.resumed();
    this.#tickets.use(ticket);
    this.#safely(() => {
      this.#open(connection, hello, true);
      this.#outbox.replay(lastSeq);
      this.#turns.repeatMode();
      this.#turns.player?.continue();
    });
  }

  /** Handles the loss of the connection: the session waits `resumeSeconds` for the client to resume. */
  lost(): void {
    if (this.#isEnded || this.#outbox.connection === undefined) return;
    this.#disconnect();
    const { clock, resumeSeconds } = this.#deps;
    this.#cancelWait = clock.after(resumeSeconds * 1000, () => this.end('client_lost'));
    this.#turns.player?.continue();
  }

  receive(message: ClientMessage): void {
    if (!this.#isEnded) this.#safely(() => this.#take(message));
  }

  receiveAudio(frame: Uint8Array): void {
    if (!this.#isEnded) this.#safely(() => this.#input.audio(frame));
  }

  /** Sends an error event for a message of a known type with invalid fields. */
  refuse(type: string, problem: string): void {
    if (!this.#isEnded) this.#turns.error('INVALID_MESSAGE', problem, type);
  }

  /** Sends the fatal error of a connection that is about to be closed. */
  fail(code: RuntimeErrorCode, message: string): void {
    this.#outbox.send({ type: 'error', code, message, fatal: true });
  }

  /** Ends the session once the character has finished speaking, because the process is about to stop. */
  drain(secondsLeft: number): void {
    if (this.#isEnded || this.#isDraining) return;
    this.#isDraining = true;
    this.#outbox.send({ type: 'notice', code: 'RESTARTING', secondsLeft });
    if (this.#turns.player === undefined || this.#outbox.connection === undefined)
      this.end('server_shutdown');
  }

  end(reason: EndReason): void {
    if (this.#isEnded) return;
    try {
      this.#turns.close();
    } catch (error) {
      this.#deps.observer.failed(this.sessionId, error as Error);
    }
    this.#isEnded = true;
    this.#cancelWait();
    this.#timers.close();
    this.#input.close();
    this.#partner.close();
    this.#time.stop();
    const { seconds } = this;
    this.#outbox.send({ type: 'ended', reason, seconds: Math.floor(seconds) });
    this.#outbox.connection?.close(closing[reason] ?? closeCodes.ended, reason);
    this.#outbox.close();
    this.#deps.ended(reason, seconds);
  }

  #tools(): SessionTools | undefined {
    const { tools = [] } = this.#connected.mind;
    if (tools.length === 0) return undefined;
    return new SessionTools({
      tools,
      call: (name, values) => this.#deps.callTool(this.sessionId, name, values),
      // A call may return after the session has ended.
      send: (event) => {
        if (!this.#isEnded) this.#outbox.send(event);
      },
    });
  }

  #take(message: ClientMessage): void {
    switch (message.type) {
      case 'text':
        this.#input.text(message);
        break;
      case 'transcript':
        this.#input.transcript(message);
        break;
      case 'audio.start':
      case 'audio.end':
        this.#input.press(message);
        break;
      case 'interrupt':
        this.#turns.interrupt();
        break;
      case 'played':
        this.#turns.player?.played(message.utterance, message.ms, message.done === true);
        break;
      case 'ping':
        this.#outbox.send({ type: 'pong', t: message.t });
        break;
      case 'bye':
        this.end('client_ended');
        break;
      case 'hello':
        this.refuse('hello', 'The session has already begun.');
    }
  }

  /** Runs `work`; an error in it ends this conversation only. */
  #safely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#breakDown(error as Error);
    }
  }

  #breakDown(error: Error): void {
    if (this.#isEnded) return;
    this.#deps.observer.failed(this.sessionId, error);
    this.end('runtime_error');
  }

  /** Detaches the connection. The caller lets the player continue: on a resume, after `ready`, the replay and `mode`. */
  #disconnect(): void {
    if (this.#outbox.connection === undefined) return;
    this.#outbox.close();
    this.#time.stop();
    this.#turns.player?.connectionLost();
  }

  #frames(): FrameFormat {
    const { codec } = this.#deps;
    // While the codec's thread is replaced, utterances are sent as PCM.
    return this.#formats.output === 'opus' && codec?.isReady ? opusFrames(codec) : pcmFrames;
  }

  #open(connection: ClientConnection, { audio }: Pick<Hello, 'audio'>, resumed: boolean): void {
    this.#outbox.open(connection);
    this.#formats = chooseFormats(audio, this.#deps.codec?.isReady === true);
    this.#time.start();
    const { engines, speechOutput } = this.#partner;
    const formats = this.#formats;
    const [{ sampleRate }, ticket] = [speechOutput, this.#tickets.current];
    this.#outbox.send(readyEvent(this.#connected, { engines, formats, sampleRate, ticket, resumed }));
  }
}
