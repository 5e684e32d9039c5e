import { audioFrame } from '@session-launch/contract/runtime/protocol';
import type { CodecThread } from './codec-thread.ts';

/** Maximum frames that wait for the thread, of 40 ms each; further ones are dropped. */
const maxWaiting = 250;

/** Decodes the microphone audio of a connection, and keeps it in order with other work. */
export class Decoder {
  readonly #thread: CodecThread;
  readonly #decoded: (samples: Int16Array | undefined) => void;
  #id: number | undefined;
  /** Work in the order of its arrival; `undefined` stands for audio that is being decoded. */
  readonly #waiting: ((() => void) | undefined)[] = [];

  /** `decoded` is called with the samples of each frame, or with `undefined` if its packets are invalid. */
  constructor(thread: CodecThread, decoded: (samples: Int16Array | undefined) => void) {
    this.#thread = thread;
    this.#decoded = decoded;
  }

  push(packets: Uint8Array[]): void {
    if (this.#waiting.length >= maxWaiting || !this.#thread.isReady) return;
    const isNew = this.#id === undefined;
    this.#id ??= this.#thread.add(({ samples, failure }) => this.#answered(samples, failure));
    this.#waiting.push(undefined);
    const { inputSampleRate: sampleRate } = audioFrame;
    this.#thread.send({ id: this.#id, packets, ...(isNew ? { decode: { sampleRate } } : {}) });
  }

  /** Runs work after the audio that has arrived before it. */
  afterAudio(work: () => void): void {
    if (this.#waiting.length === 0) work();
    else this.#waiting.push(work);
  }

  close(): void {
    this.#waiting.length = 0;
    if (this.#id !== undefined) this.#thread.remove(this.#id);
    this.#id = undefined;
  }

  #answered(samples: Int16Array | undefined, failure: string | undefined): void {
    // The thread has ended: what it was decoding is lost, and the next frame opens another decoder.
    const isGone = samples === undefined && !this.#thread.isReady;
    if (isGone) this.#id = undefined;
    for (let count = isGone ? this.#waiting.length : 1; count > 0; count--) {
      const work = this.#waiting.shift();
      if (work !== undefined) work();
      else if (!isGone) this.#decoded(failure === undefined ? samples : undefined);
    }
    while (this.#waiting[0] !== undefined) this.#waiting.shift()!();
  }
}
