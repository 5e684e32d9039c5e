import { audioFrame } from '@session-launch/contract/runtime/protocol';
import type { OpusCodec } from '../opus/codec.ts';
import type { Encoding } from '../opus/encoding.ts';
import { packed, packetSamples, packetsPerFrame, preSkip } from '../opus/packets.ts';
import { concatenated } from '../samples.ts';

/** A frame of an utterance. */
export interface Frame {
  payload: Uint8Array;
  isOpus: boolean;
  /** Where its audio starts and ends in the utterance, in samples. */
  offset: number;
  end: number;
  isLast: boolean;
}

/** The audio of one utterance as frames of 40 ms, in the format of the connection. */
export interface FrameSource {
  /** Whether all audio that was pushed is in frames that were taken, as far as it fills them. */
  readonly isDrained: boolean;
  /** The frames that are missing cannot be encoded. */
  readonly hasFailed: boolean;
  push(samples: Int16Array): void;
  /** No more audio follows. The last frame is marked. */
  end(): void;
  /** Takes the next frame. `undefined` if it is not ready, or if the last one was taken. */
  next(): Frame | undefined;
  /** Frees what it uses. Call it when no more frames are taken. */
  close(): void;
}

/** Opens sources of frames in one format. `changed` is called when a frame that was not ready may be. */
export interface FrameFormat {
  /** For audio that is complete. */
  whole(samples: Int16Array, sampleRate: number, changed: () => void): FrameSource;
  /** For audio that is pushed while it arrives. */
  live(sampleRate: number, changed: () => void): FrameSource;
}

export const pcmFrames: FrameFormat = {
  whole: (samples, sampleRate) => {
    const source = new PcmSource(sampleRate);
    source.push(samples);
    source.end();
    return source;
  },
  live: (sampleRate) => new PcmSource(sampleRate),
};

export function opusFrames(codec: OpusCodec): FrameFormat {
  return {
    whole: (samples, sampleRate, changed) => {
      const source = new OpusSource(codec.sentence(samples, sampleRate), changed);
      source.end();
      return source;
    },
    live: (sampleRate, changed) => new OpusSource(codec.encoding(sampleRate), changed, true),
  };
}

class PcmSource implements FrameSource {
  readonly hasFailed = false;
  readonly #frameSamples: number;
  #audio = new Int16Array(0);
  #at = 0;
  #offset = 0;
  #isEnded = false;
  #isOver = false;

  constructor(sampleRate: number) {
    this.#frameSamples = Math.round((sampleRate * audioFrame.milliseconds) / 1000);
  }

  get isDrained(): boolean {
    return this.#at >= this.#audio.length;
  }

  push(samples: Int16Array): void {
    this.#audio = this.isDrained
      ? (samples as Int16Array<ArrayBuffer>)
      : concatenated([this.#audio.subarray(this.#at), samples]);
    this.#at = 0;
  }

  end(): void {
    this.#isEnded = true;
  }

  next(): Frame | undefined {
    if (this.#isOver || (this.isDrained && !this.#isEnded)) return undefined;
    const samples = this.#audio.subarray(this.#at, this.#at + this.#frameSamples);
    const offset = this.#offset;
    this.#at += samples.length;
    this.#offset += samples.length;
    this.#isOver = this.#isEnded && this.isDrained;
    const payload = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    return { payload, isOpus: false, offset, end: this.#offset, isLast: this.#isOver };
  }

  close(): void {}
}

class OpusSource implements FrameSource {
  readonly #encoding: Encoding;
  readonly #isOwn: boolean;
  readonly #stop: () => void;
  #at = 0;
  #isOver = false;

  /** `isOwn`: no other utterance uses this encoding. */
  constructor(encoding: Encoding, changed: () => void, isOwn = false) {
    this.#encoding = encoding;
    this.#isOwn = isOwn;
    this.#stop = encoding.listen(changed);
  }

  get hasFailed(): boolean {
    return this.#encoding.state === 'failed';
  }

  get isDrained(): boolean {
    return this.#encoding.isIdle && this.#encoding.packets.length - this.#at < packetsPerFrame;
  }

  push(samples: Int16Array): void {
    this.#encoding.push(samples);
  }

  end(): void {
    if (this.#isOwn) this.#encoding.end();
  }

  /** The end is a frame without packets, whose offset is the length of the audio: the last packet is padded with silence. */
  next(): Frame | undefined {
    const { packets, state, samples } = this.#encoding;
    const isComplete = state === 'complete';
    if (this.#isOver || state === 'failed') return undefined;
    const offset = this.#positionOf(this.#at);
    const taken = packets.slice(this.#at, this.#at + packetsPerFrame);
    if (taken.length < packetsPerFrame && !isComplete) return undefined;
    this.#at += taken.length;
    this.#isOver = taken.length === 0;
    const end = this.#isOver ? samples : this.#positionOf(this.#at);
    const payload = packed(taken);
    return { payload, isOpus: true, offset: this.#isOver ? samples : offset, end, isLast: this.#isOver };
  }

  close(): void {
    this.#stop();
    if (this.#isOwn) this.#encoding.close();
  }

  /** Where the audio of a packet starts in the utterance, in samples. */
  #positionOf(packet: number): number {
    const { sampleRate, samples } = this.#encoding;
    return Math.min(samples, Math.max(0, packet * packetSamples(sampleRate) - preSkip(sampleRate)));
  }
}
