import { randomUUID } from 'node:crypto';
import {
  type ClientMessage,
  closeCodes,
  type Engines,
  type Hello,
  type RuntimeErrorCode,
} from '@session-launch/contract/runtime/protocol';
import type { EndReason } from '@session-launch/contract/session';
import { type Clock, guarded } from '../clock.ts';
import type { Hearing } from '../hearing/hearing.ts';
import type { Detector } from '../hearing/voice-activity.ts';
import type { Character, Mind } from '../mind/mind.ts';
import type { Connected } from '../service/connected.ts';
import type { Speech } from '../speech/speech.ts';
import { userSamples } from './audio-frames.ts';
import { Connectedness } from './connectedness.ts';
import { Ear } from './ear.ts';
import { Leash } from './leash.ts';
import type { Line } from './line.ts';
import { Outbox } from './outbox.ts';
import { describeEngines, readyEvent } from './ready.ts';
import { SeenIds } from './seen-ids.ts';
import { type Observer, Talk } from './talk.ts';
import { Voicing } from './voicing.ts';

export interface ConversationDeps {
  clock: Clock;
  mind: Mind;
  /** Absent: captions, or the page's own voice. */
  speech: Speech | undefined;
  /** `page` leaves it to the page. */
  hearing: Hearing | 'page' | 'off';
  detector: (() => Detector) | undefined;
  resumeSeconds: number;
  newTicket(): string;
  observer: Observer;
  /** Called once. */
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

/** One session from `ready` to `ended`, whatever becomes of its connections. It is closed once. */
export class Conversation {
  readonly sessionId: string;
  ticket = '';
  readonly #deps: ConversationDeps;
  readonly #connected: Connected;
  readonly #outbox = new Outbox();
  readonly #voicing: Voicing;
  readonly #leash: Leash;
  readonly #talk: Talk;
  readonly #ear: Ear | undefined;
  readonly #engines: Engines;
  readonly #time: Connectedness;
  readonly #seenIds = new SeenIds();
  #isEnded = false;
  #isDraining = false;
  #cancelWait: () => void = () => {};

  constructor(deps: ConversationDeps, connected: Connected, hello: Hello) {
    const { session, manifest, mind, limits } = connected;
    const { observer } = deps;
    const clock = guarded(deps.clock, (error) => this.#breakDown(error));
    const { mode, locale, secondaryLocale } = session;
    this.sessionId = session.sessionId;
    this.#deps = { ...deps, clock };
    this.#connected = connected;
    this.#time = new Connectedness(clock);
    this.#voicing = new Voicing(deps.speech, hello.speech?.synthesis ?? []);
    this.#leash = new Leash(clock, limits, {
      endingSoon: (secondsLeft) => this.#outbox.send({ type: 'notice', code: 'ENDING_SOON', secondsLeft }),
      idle: () => this.end('idle_timeout'),
      maximum: () => this.end('max_duration'),
    });
    const characters = manifest.characters.map(({ characterId, name, voice }) => ({
      characterId,
      name,
      voice: (voice ?? {}) as Record<string, unknown>,
    })) as [Character, ...Character[]];
    const { title, experienceId, revision } = manifest.experience;
    this.#talk = new Talk({
      clock,
      outbox: this.#outbox,
      dialogue: deps.mind.begin({
        ...{ mind, mode, locale, secondaryLocale, characters, title },
        revision: `${experienceId} ${revision}`,
      }),
      voicing: this.#voicing,
      leash: this.#leash,
      observer,
      characters,
      mode,
      isDual: secondaryLocale !== undefined,
      fellSilent: () => {
        if (this.#isDraining) this.end('server_shutdown');
      },
      failed: (error) => this.#breakDown(error),
    });
    this.#ear = this.#openEar();
    this.#engines = describeEngines({ ...deps, voicing: this.#voicing }, session, hello);
  }

  get seconds(): number {
    return this.#time.seconds;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The first connection. */
  begin(line: Line): void {
    this.#safely(() => {
      this.#open(line, false);
      this.#talk.open();
    });
  }

  /** Another connection of the same client. */
  resume(line: Line, lastSeq: number): void {
    // The old one may not know yet that it is dead.
    this.#outbox.line?.close(closeCodes.draining, 'resumed elsewhere');
    this.lost();
    this.#cancelWait();
    this.#safely(() => {
      this.#open(line, true);
      this.#outbox.replay(lastSeq);
      this.#talk.repeatMode();
      this.#talk.telling?.lineBack();
    });
  }

  /** The connection broke. The session waits for the client, for a while. */
  lost(): void {
    if (this.#isEnded || this.#outbox.line === undefined) return;
    this.#outbox.close();
    this.#time.stop();
    this.#talk.telling?.lineLost();
    const { clock, resumeSeconds } = this.#deps;
    this.#cancelWait = clock.after(resumeSeconds * 1000, () => this.end('client_lost'));
  }

  receive(message: ClientMessage): void {
    if (!this.#isEnded) this.#safely(() => this.#take(message));
  }

  receiveAudio(frame: Uint8Array): void {
    const ear = this.#ear;
    if (this.#isEnded || ear === undefined) return;
    const samples = userSamples(frame);
    if (samples === undefined) this.refuse('audio', 'This is no frame of user audio.');
    else this.#safely(() => ear.hear(samples));
  }

  /** A message that is known, but not right. */
  refuse(type: string, problem: string): void {
    if (!this.#isEnded) this.#talk.error('INVALID_MESSAGE', problem, type);
  }

  /** The client broke the rules, and its connection is about to be closed. */
  fail(code: RuntimeErrorCode, message: string): void {
    this.#outbox.send({ type: 'error', code, message, fatal: true });
  }

  /** The process is about to end: what is being said may be finished, and then it is over. */
  drain(secondsLeft: number): void {
    if (this.#isEnded || this.#isDraining) return;
    this.#isDraining = true;
    this.#outbox.send({ type: 'notice', code: 'RESTARTING', secondsLeft });
    if (this.#talk.telling === undefined || this.#outbox.line === undefined) this.end('server_shutdown');
  }

  end(reason: EndReason): void {
    if (this.#isEnded) return;
    try {
      this.#talk.close();
    } catch (error) {
      this.#deps.observer.failed(this.sessionId, error as Error);
    }
    this.#isEnded = true;
    this.#cancelWait();
    this.#leash.close();
    this.#ear?.close();
    this.#time.stop();
    const { seconds } = this;
    this.#outbox.send({ type: 'ended', reason, seconds: Math.floor(seconds) });
    this.#outbox.line?.close(closing[reason] ?? closeCodes.ended, reason);
    this.#outbox.close();
    this.#deps.ended(reason, seconds);
  }

  #take(message: ClientMessage): void {
    switch (message.type) {
      case 'text':
        if (this.#seenIds.add(message.id)) this.#talk.hear(message.id, message.text);
        break;
      case 'transcript':
        this.#transcript(message);
        break;
      case 'audio.start':
      case 'audio.end':
        this.#press(message.type);
        break;
      case 'interrupt':
        this.#talk.interrupt();
        this.#talk.activity();
        break;
      case 'played':
        this.#talk.telling?.played(message.utterance, message.ms, message.done === true);
        break;
      case 'ping':
        this.#outbox.send({ type: 'pong', t: message.t });
        break;
      case 'bye':
        this.end('client_ended');
        break;
      case 'hello':
        this.refuse('hello', 'The session has begun already.');
    }
  }

  /** What goes wrong here ends this conversation, and no other one. */
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

  #open(line: Line, resumed: boolean): void {
    this.#outbox.open(line);
    this.#time.start();
    this.ticket = this.#deps.newTicket();
    const { sampleRate } = this.#voicing;
    this.#outbox.send(
      readyEvent({
        connected: this.#connected,
        engines: this.#engines,
        sampleRate,
        ticket: this.ticket,
        resumed,
      }),
    );
  }

  #openEar(): Ear | undefined {
    const { clock, hearing, detector, observer } = this.#deps;
    const { speechInputMode: mode, secondaryLocale } = this.#connected.session;
    // Whoever learns a language repeats in that one and asks in their own.
    const locale = secondaryLocale === undefined ? this.#connected.session.locale : undefined;
    if (typeof hearing === 'string' || detector === undefined || mode === 'off') return undefined;
    return new Ear(
      { clock, hearing, detector, mode, locale },
      {
        activity: () => this.#talk.activity(),
        bargeIn: () => this.#talk.telling?.hold(),
        takenBack: () => this.#talk.telling?.release(),
        words: (text, hearingMs) => this.#safely(() => this.#talk.hear(randomUUID(), text, hearingMs)),
        failed: (error) => {
          observer.engineFailed('hearing', error);
          this.#safely(() =>
            this.#talk.apologise('HEARING_FAILED', 'That could not be understood; please say it again.'),
          );
        },
      },
    );
  }

  #transcript({ id, text, status }: Extract<ClientMessage, { type: 'transcript' }>): void {
    if (this.#connected.session.speechInputMode === 'off') {
      this.#talk.error('SPEECH_INPUT_OFF', 'This session takes no speech.', id);
      return;
    }
    this.#talk.activity();
    if (text.trim() === '' || this.#seenIds.has(id)) return;
    if (status === 'interim')
      this.#outbox.send({ type: 'message', id, role: 'user', status: 'partial', text });
    else if (this.#seenIds.add(id)) this.#talk.hear(id, text);
  }

  #press(type: 'audio.start' | 'audio.end'): void {
    if (this.#ear === undefined) this.#talk.error('SPEECH_INPUT_OFF', 'This session takes no sound.', type);
    else if (type === 'audio.start') this.#ear.start();
    else this.#ear.end();
  }
}
