import {
  audioFrame,
  bounds,
  protocolVersion,
  type RuntimeEvent,
} from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../../clock.ts';
import { helloTooBig, notClientReady, notRtvi, type Refusal, tokenInvalid } from '../../refusals.ts';
import type { TokenBucket } from '../../token-bucket.ts';
import type { ConnectionCalls, SessionConnection } from '../connection.ts';
import { BotMessages, errorMessage, errorResponse, type RtviMessage } from './bot-messages.ts';
import { label, readRtvi } from './client-messages.ts';
import { messageFrame, readFrame, soundFrame } from './frames.ts';
import { Microphone } from './microphone.ts';
import { type Chunk, Playout } from './playout.ts';
import { Resampler } from './resampler.ts';
import { Utterance } from './utterance.ts';

/** Close codes of clients that leave deliberately: Pipecat's clients close without a code, which arrives as 1005. */
export const rtviCleanCodes = [1000, 1005];

/** Hz. Pipecat's clients play at this rate, whichever one a frame states. */
const outputSampleRate = 24_000;

/** The conversation counts an utterance as played 20 ms before its end. Holding back the report sends `bot-tts-stopped` first. */
const unreportedMs = 20;

type EventOf<T extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: T }>;

export interface RtviDeps {
  connection: SessionConnection;
  clock: Clock;
  /** The session token in the URL. */
  token: string | null;
}

/**
 * A connection of an RTVI client. Translates its messages to those of session.v1 and the events of the conversation to RTVI, and plays the
 * part of the page in between: it paces the audio and reports what has been played.
 */
export class RtviConnection implements SessionConnection {
  readonly #connection: SessionConnection;
  readonly #token: string | null;
  readonly #playout: Playout;
  readonly #microphone = new Microphone();
  #calls: ConnectionCalls | undefined;
  /** Set once `client-ready` was received. */
  #messages: BotMessages | undefined;
  #sent = 0;
  #sampleRate = outputSampleRate;
  #resampler = new Resampler(outputSampleRate, outputSampleRate);
  #resampled: number | undefined;
  /** The utterance that was announced to the client last, and the one that the conversation began last. */
  #utterance: Utterance | undefined;
  #latest: Utterance | undefined;

  constructor({ connection, clock, token }: RtviDeps) {
    this.#connection = connection;
    this.#token = token;
    this.#playout = new Playout({
      clock,
      send: (samples) => connection.sendAudio(soundFrame(samples, outputSampleRate)),
      unsent: () => connection.unsent,
      played: (utterance, ms, isDone) => this.#played(utterance, ms, isDone),
    });
  }

  listen(calls: ConnectionCalls, frames?: TokenBucket): void {
    this.#calls = calls;
    const { received, cut } = calls;
    this.#connection.listen(
      {
        audio: (bytes) => this.#receive(bytes),
        text: () => this.refuse(notRtvi()),
        closed: (isClean) => {
          this.#playout.clear();
          calls.closed(isClean);
        },
        refused: (refusal) => this.#sendRefusal(refusal),
        ...(received === undefined ? {} : { received }),
        ...(cut === undefined ? {} : { cut }),
      },
      frames,
    );
  }

  get unsent(): number {
    return this.#connection.unsent;
  }

  pause(): void {
    this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  close(code: number, reason: string): void {
    this.#playout.clear();
    this.#connection.close(code, reason);
  }

  refuse(refusal: Refusal): void {
    this.#connection.refuse(refusal);
  }

  destroy(): void {
    this.#connection.destroy();
  }

  userSpeaking(isSpeaking: boolean): void {
    this.#send([{ type: isSpeaking ? 'user-started-speaking' : 'user-stopped-speaking' }]);
  }

  /** Takes an event of the conversation. */
  sendText(json: string): void {
    const event = JSON.parse(json) as RuntimeEvent;
    if (event.type === 'ready') this.#sampleRate = event.audio.output.sampleRate;
    if (event.type === 'interrupted') this.#interrupt();
    if (event.type === 'utterance') this.#announce(event);
    else if (event.type === 'cues') this.#takeCues(event);
    else this.#send(this.#messages?.of(event) ?? []);
    if (event.type === 'message') this.#latest?.extend(event.id, event.text);
  }

  /** Takes an audio frame of session.v1. */
  sendAudio(frame: Uint8Array): void {
    const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
    const utterance = view.getUint16(audioFrame.utteranceAt, true);
    const samples = new Int16Array(Uint8Array.from(frame.subarray(audioFrame.headerBytes)).buffer);
    if (utterance !== this.#resampled) this.#resampler = new Resampler(this.#sampleRate, outputSampleRate);
    this.#resampled = utterance;
    const end = view.getUint32(audioFrame.offsetAt, true) + samples.length;
    const chunk: Chunk = {
      utterance,
      samples: this.#resampler.push(samples),
      endMs: (end / this.#sampleRate) * 1000,
      durationMs: (samples.length / this.#sampleRate) * 1000,
      isLast: (view.getUint8(audioFrame.flagsAt) & audioFrame.flags.last) !== 0,
    };
    this.#playout.add(chunk);
  }

  #receive(bytes: Uint8Array): void {
    const frame = readFrame(bytes);
    if (frame === undefined) this.refuse(notRtvi());
    else if (frame.kind === 'message' && this.#messages === undefined) this.#enter(frame.json);
    else if (frame.kind === 'message') this.#take(frame.json);
    else if (frame.kind === 'audio' && this.#messages !== undefined) {
      const frames = this.#microphone.frames(frame.pcm, frame.sampleRate, frame.channels);
      if (frames === undefined) this.#invalid('Audio must be PCM16 of 8 to 48 kHz with one or two channels.');
      else for (const one of frames) this.#calls?.audio(one);
    }
  }

  /** Takes the first message. */
  #enter(json: string): void {
    const read = Buffer.byteLength(json) > bounds.helloBytes ? undefined : readRtvi(json);
    if (read === undefined) this.refuse(helloTooBig());
    else if (read.kind !== 'ready') this.refuse(read.kind === 'notJson' ? notRtvi() : notClientReady());
    else if (this.#token === null || this.#token === '') this.refuse(tokenInvalid());
    else {
      this.#messages = new BotMessages(read.id);
      const { client } = read;
      this.#forward({ type: 'hello', protocol: protocolVersion, token: this.#token, client });
    }
  }

  #take(json: string): void {
    const read = readRtvi(json);
    if (read.kind === 'notJson') this.refuse(notRtvi());
    else if (read.kind === 'wrong') this.#send([errorResponse(read.id, read.problem)]);
    else if (read.kind === 'message') {
      const { id, message, request } = read;
      if (message.type === 'text') this.#messages?.typed(message.id);
      this.#forward(message);
      if (request !== undefined) this.#send([{ type: 'server-response', id, data: { t: request } }]);
    }
  }

  #forward(message: object): void {
    this.#calls?.text(JSON.stringify(message));
  }

  #announce(event: EventOf<'utterance'>): void {
    const utterance = new Utterance(event, this.#messages?.said ?? '');
    this.#latest = utterance;
    this.#playout.begin(() => this.#begin(utterance));
  }

  #begin(utterance: Utterance): void {
    this.#utterance = utterance;
    const { id, text, hasSound } = utterance;
    const output = { text, aggregated_by: 'sentence', segment_id: id, will_be_spoken: hasSound };
    if (hasSound)
      this.#send([
        ...(this.#messages?.startSpeaking() ?? []),
        { type: 'bot-output', data: { ...output, spoken_status: 'new' } },
        { type: 'bot-tts-started' },
      ]);
    else this.#send([{ type: 'bot-output', data: output }]);
  }

  #takeCues({ seq: _, ...cues }: EventOf<'cues'>): void {
    this.#latest?.addWords(cues.words ?? [], cues.more === true);
    this.#playout.note(() => this.#send([{ type: 'server-message', data: cues }]));
  }

  #played(id: number, ms: number, isDone: boolean): void {
    const utterance = this.#utterance;
    if (utterance?.id === id) {
      const more = utterance.playedUpTo(isDone ? Number.POSITIVE_INFINITY : ms);
      if (more !== undefined) {
        this.#send(more.words.map((text) => ({ type: 'bot-tts-text', data: { text } })));
        this.#sendProgress(utterance, isDone ? 'completed' : 'in-progress', more.said, more.rest);
      } else if (isDone) this.#sendProgress(utterance, 'completed', utterance.text, '');
      if (isDone) this.#endSound();
    }
    const progress = isDone ? { ms, done: true } : { ms: Math.max(0, ms - unreportedMs) };
    this.#forward({ type: 'played', utterance: id, ...progress });
  }

  #sendProgress({ id, text }: Utterance, status: string, said: string, rest: string): void {
    const data = {
      ...{ text, aggregated_by: 'sentence', segment_id: id, will_be_spoken: true, spoken_status: status },
      spoken_progress: { accumulated_text: said, remaining_text: rest },
    };
    this.#send([{ type: 'bot-output', data }]);
  }

  #interrupt(): void {
    this.#playout.clear();
    if (this.#utterance?.hasSound) this.#endSound();
  }

  #endSound(): void {
    this.#utterance = undefined;
    this.#send([{ type: 'bot-tts-stopped' }]);
  }

  /** Sends the refusal, numbered as an event if there is a conversation. */
  #sendRefusal(refusal: Refusal): void {
    const { code, message } = refusal;
    if (this.#calls?.refused !== undefined) this.#calls.refused(refusal);
    else this.#send([errorMessage(message, { code, fatal: true })]);
  }

  #invalid(message: string): void {
    this.#send([errorMessage(message, { code: 'INVALID_MESSAGE', fatal: false })]);
  }

  #send(messages: readonly RtviMessage[]): void {
    for (const { type, data = {}, id = `rt-${++this.#sent}` } of messages)
      this.#connection.sendAudio(messageFrame(JSON.stringify({ id, label, type, data })));
  }
}
