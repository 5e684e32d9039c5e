import { CodecThread } from './codec-thread.ts';
import { Decoder } from './decoder.ts';
import { Encoding } from './encoding.ts';

/** Encodes speech as Opus, and decodes the user's audio, in a worker thread. */
export class OpusCodec {
  readonly #thread: CodecThread;
  /** Encodings of whole sentences. They are collected together with the audio, whose cache limits their number. */
  readonly #sentences = new WeakMap<Int16Array, Encoding>();

  private constructor(thread: CodecThread) {
    this.#thread = thread;
  }

  static async open(): Promise<OpusCodec> {
    return new OpusCodec(await CodecThread.open());
  }

  /** Whether audio can be encoded and decoded now. It cannot while the thread is being replaced. */
  get isReady(): boolean {
    return this.#thread.isReady;
  }

  /** The encoding of a whole sentence, which sessions that speak the same audio share. */
  sentence(samples: Int16Array, sampleRate: number): Encoding {
    const known = this.#sentences.get(samples);
    if (known !== undefined && known.state !== 'failed') return known;
    const encoding = this.encoding(sampleRate);
    encoding.push(samples);
    encoding.end();
    this.#sentences.set(samples, encoding);
    return encoding;
  }

  /** An encoding of audio that is still arriving. Call `close` if it does not end. */
  encoding(sampleRate: number): Encoding {
    return new Encoding(this.#thread, sampleRate);
  }

  decoder(decoded: (samples: Int16Array | undefined) => void): Decoder {
    return new Decoder(this.#thread, decoded);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
