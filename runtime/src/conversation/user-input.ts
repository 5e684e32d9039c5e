import { randomUUID } from 'node:crypto';
import type { Connected } from '@session-launch/contract/runtime/lifecycle';
import { audioFrame, bounds, type ClientMessage, opus } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';
import type { OpusCodec } from '../opus/codec.ts';
import type { Decoder } from '../opus/decoder.ts';
import { RateWindow } from '../rate-window.ts';
import { type Refusal, tooManyTexts, tooMuchAudio } from '../refusals.ts';
import { TokenBucket } from '../token-bucket.ts';
import { userAudio } from './audio-frames.ts';
import type { Outbox } from './outbox.ts';
import type { Partner, SpeechInput } from './partner.ts';
import { SeenIds } from './seen-ids.ts';
import type { TurnTaking } from './turn-taking.ts';

export interface UserInputDeps {
  clock: Clock;
  connected: Pick<Connected, 'session' | 'limits'>;
  listen: Partner['listen'];
  turns: TurnTaking;
  outbox: Outbox;
  /** Absent: only PCM is accepted. */
  codec: OpusCodec | undefined;
  hearingFailed(error: Error): void;
  /** Runs `work`; an error in it ends this conversation only. */
  safely(work: () => void): void;
}

type Message<T extends ClientMessage['type']> = Extract<ClientMessage, { type: T }>;

const samplesPerMs = audioFrame.inputSampleRate / 1000;

/** In milliseconds of audio. A microphone's clock may run up to 1 % faster than ours. */
const audioLimits = { perSecond: 1010, burst: bounds.soundAheadMs, credit: bounds.soundCreditMs };

/** The user's typed texts, transcripts and audio, with rate limits that span all connections of a conversation. */
export class UserInput {
  readonly #deps: UserInputDeps;
  readonly #texts: RateWindow;
  readonly #audioBudget: TokenBucket;
  readonly #seenIds = new SeenIds();
  readonly #speechInput: SpeechInput | undefined;
  /** Keeps decoded audio, PCM and presses of the button in order. */
  readonly #decoder: Decoder | undefined;
  #lastInterim = '';
  /** Time of the first interim transcript since the last final one. */
  #interimsSince: number | undefined;

  constructor(deps: UserInputDeps) {
    this.#deps = deps;
    this.#texts = new RateWindow(deps.clock, bounds.textsPerTenSeconds, 10_000);
    this.#audioBudget = new TokenBucket(deps.clock, audioLimits);
    this.#speechInput = this.#openSpeechInput();
    this.#decoder = deps.codec?.decoder((samples) =>
      deps.safely(() => {
        if (samples === undefined) this.#refuseAudio('The audio cannot be decoded.');
        else this.#speechInput?.push(samples);
      }),
    );
  }

  text({ id, text }: Message<'text'>): void {
    if (this.#allowsText() && this.#seenIds.add(id)) this.#userSaid(id, text);
  }

  transcript({ id, text, status }: Message<'transcript'>): void {
    const { connected, turns, outbox } = this.#deps;
    if (status === 'final' && !this.#allowsText()) return;
    if (connected.session.speechInputMode === 'off') {
      turns.error('SPEECH_INPUT_OFF', 'This session does not accept speech.', id);
      return;
    }
    if (text.trim() === '' || this.#seenIds.has(id)) return;
    if (status === 'final') {
      if (this.#seenIds.add(id)) this.#userSaid(id, text);
      return;
    }
    turns.postponeNextSection();
    if (this.#isActivity(text)) turns.activity();
    outbox.send({ type: 'message', id, role: 'user', status: 'partial', text });
  }

  press({ type }: Message<'audio.start' | 'audio.end'>): void {
    if (this.#speechInput === undefined)
      this.#deps.turns.error('SPEECH_INPUT_OFF', 'This session does not accept audio.', type);
    else this.#inOrder((input) => (type === 'audio.start' ? input.start() : input.end()));
  }

  /** Handles a binary frame of the client. The budget also limits a session that ignores the audio. */
  audio(frame: Uint8Array): void {
    const audio = userAudio(frame);
    if (audio === undefined || ('packets' in audio && this.#decoder === undefined)) {
      this.#refuseAudio('The binary frame is not a frame of user audio.');
      return;
    }
    const ms =
      'packets' in audio ? audio.packets.length * opus.packetMs : audio.samples.length / samplesPerMs;
    if (ms > bounds.soundFrameMs)
      this.#refuseAudio(`An audio frame holds at most ${bounds.soundFrameMs} ms.`);
    else if (!this.#audioBudget.take(ms)) this.#refuse(tooMuchAudio());
    else if (this.#speechInput === undefined) return;
    else if ('packets' in audio) this.#decoder!.push(audio.packets);
    else this.#inOrder((input) => input.push(audio.samples));
  }

  /** Called when the client has resumed on another connection. */
  resumed(): void {
    this.#audioBudget.resumed();
  }

  close(): void {
    this.#decoder?.close();
    this.#speechInput?.close();
  }

  /** Calls the input after audio that is being decoded. */
  #inOrder(work: (input: SpeechInput) => void): void {
    const input = this.#speechInput!;
    if (this.#decoder === undefined) work(input);
    else this.#decoder.afterAudio(() => this.#deps.safely(() => work(input)));
  }

  #refuseAudio(problem: string): void {
    if (this.#speechInput === undefined) return;
    this.#deps.turns.error('INVALID_MESSAGE', problem, 'audio');
  }

  #userSaid(id: string, text: string, hearingMs?: number): void {
    this.#lastInterim = '';
    this.#interimsSince = undefined;
    this.#deps.turns.userSaid(id, text, hearingMs);
  }

  #allowsText(): boolean {
    const isAllowed = this.#texts.allows();
    if (!isAllowed) this.#refuse(tooManyTexts());
    return isAllowed;
  }

  #refuse(refusal: Refusal): void {
    this.#deps.outbox.connection?.refuse(refusal);
  }

  /**
   * Whether an interim transcript restarts the idle timer: it must differ from the previous one, and arrive within `idleSeconds` of the
   * first interim transcript since the last final one.
   */
  #isActivity(text: string): boolean {
    const { clock, connected } = this.#deps;
    if (text === this.#lastInterim) return false;
    this.#lastInterim = text;
    this.#interimsSince ??= clock.now();
    return clock.now() - this.#interimsSince < connected.limits.idleSeconds * 1000;
  }

  #openSpeechInput(): SpeechInput | undefined {
    const { listen, turns, outbox, hearingFailed, safely } = this.#deps;
    return listen?.({
      activity: () => turns.activity(),
      speaking: (isSpeaking) => outbox.connection?.userSpeaking?.(isSpeaking),
      pressed: () => turns.postponeNextSection(),
      bargeIn: () => turns.player?.pause(),
      noSpeech: () => turns.player?.resume(),
      interrupt: () => turns.interrupt(),
      isEcho: (text) => turns.isEcho(text),
      isCharacterActive: () => turns.player !== undefined,
      words: (text, hearingMs) =>
        safely(() => {
          if (this.#allowsText()) this.#userSaid(randomUUID(), text, hearingMs);
          else turns.player?.resume();
        }),
      spoke: (answer) =>
        safely(() => {
          if (!this.#allowsText()) return;
          const id = randomUUID();
          turns.userSpoke(id, (signal) =>
            answer((text, status) => turns.transcribed(id, text, status), signal),
          );
        }),
      failed: (error) => {
        hearingFailed(error);
        safely(() => turns.apologise('HEARING_FAILED', 'That could not be understood; please say it again.'));
      },
    });
  }
}
