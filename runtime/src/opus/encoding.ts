import { opus } from '@session-launch/contract/runtime/protocol';
import type { CodecThread } from './codec-thread.ts';

/** Milliseconds of audio per request: the first one is short, so that the first packets are ready early. */
const firstMs = 200;
const blockMs = 1000;

/** The Opus packets of one stream of audio, which grow while it is encoded. Several listeners may read them. */
export class Encoding {
  readonly packets: Uint8Array[] = [];
  readonly sampleRate: number;
  readonly #thread: CodecThread;
  readonly #id: number;
  readonly #waiting: Int16Array[] = [];
  readonly #listeners = new Set<() => void>();
  #samples = 0;
  #isOpen = false;
  #isEnded = false;
  #isEncoding = false;
  #state: 'growing' | 'complete' | 'failed' = 'growing';

  constructor(thread: CodecThread, sampleRate: number) {
    this.sampleRate = sampleRate;
    this.#thread = thread;
    this.#id = thread.add(({ packets = [], failure }) => {
      this.#isEncoding = false;
      this.packets.push(...packets);
      if (failure !== undefined) this.#finish('failed');
      else if (this.#isEnded && this.#waiting.length === 0) this.#finish('complete');
      else this.#next();
      for (const changed of [...this.#listeners]) changed();
    });
  }

  /** Samples that were pushed. */
  get samples(): number {
    return this.#samples;
  }

  get state(): 'growing' | 'complete' | 'failed' {
    return this.#state;
  }

  /** Whether all samples that were pushed are encoded, except those that do not fill a packet. */
  get isIdle(): boolean {
    return !this.#isEncoding;
  }

  push(samples: Int16Array): void {
    for (let at = 0; at < samples.length; ) {
      const ms = this.#samples === 0 ? firstMs : blockMs;
      const block = samples.subarray(at, at + (ms * this.sampleRate) / 1000);
      this.#waiting.push(block);
      this.#samples += block.length;
      at += block.length;
    }
    this.#next();
  }

  /** No more samples follow. */
  end(): void {
    this.#isEnded = true;
    if (this.#waiting.length === 0) this.#waiting.push(new Int16Array(0));
    this.#next();
  }

  /** Calls `changed` when packets were added or the state has changed. Returns a function that stops it. */
  listen(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  /** Frees the encoder before the end. */
  close(): void {
    if (this.#state === 'growing') this.#finish('failed');
  }

  /** Sends one block at a time, so that other streams are encoded in between. */
  #next(): void {
    if (this.#isEncoding || this.#state !== 'growing') return;
    const samples = this.#waiting.shift();
    if (samples === undefined) return;
    if (!this.#thread.isReady) {
      this.#finish('failed');
      return;
    }
    const { sampleRate } = this;
    const { bitsPerSecond: bitrate, packetMs } = opus;
    this.#isEncoding = true;
    this.#thread.send({
      id: this.#id,
      ...(this.#isOpen ? {} : { encode: { sampleRate, bitrate, packetMs } }),
      // Copied, because a message contains the whole memory behind an array.
      samples: samples.slice(),
      isEnd: this.#isEnded && this.#waiting.length === 0,
    });
    this.#isOpen = true;
  }

  #finish(state: 'complete' | 'failed'): void {
    this.#state = state;
    this.#waiting.length = 0;
    this.#thread.remove(this.#id);
  }
}
