import { Worker } from 'node:worker_threads';
import type { KeyMaterial } from './ed25519.js';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

interface Waiting {
  payload: string;
  resolve: (token: string) => void;
}

/** Fewer are signed here: that takes less time than another thread needs to wake up. */
const worthSending = 3;

const threadFile = new URL('./signing-thread.js', import.meta.url);

/**
 * Signs beside the event loop, which has other things to do meanwhile: all payloads of one moment go to a thread in
 * one message. It is started when it is needed first. Should it end, the event loop signs by itself.
 */
export class TokenSigner {
  readonly keys: SigningKeys;
  readonly #file: URL;
  readonly #onEnd: (reason: string) => void;
  readonly #sent: Waiting[][] = [];
  #collected: Waiting[] = [];
  #thread: Worker | undefined;
  #ended = false;

  /** `onEnd` hears of a thread that ends without being closed. */
  constructor(keys: SigningKeys, onEnd: (reason: string) => void = () => undefined, file = threadFile) {
    this.keys = keys;
    this.#onEnd = onEnd;
    this.#file = file;
  }

  /** The token with these claims, given as JSON. */
  sign(key: SigningKey, payload: string): string | Promise<string> {
    // Replays of launches from before a rotation are few.
    if (key !== this.keys.current) return key.sign(payload);
    return new Promise((resolve) => {
      // After everything that signs in this moment has said so.
      if (this.#collected.push({ payload, resolve }) === 1) process.nextTick(() => this.#send());
    });
  }

  async close(): Promise<void> {
    this.#settleAll();
    await this.#thread?.terminate();
  }

  #send(): void {
    const waiting = this.#collected;
    this.#collected = [];
    if (this.#ended || waiting.length < worthSending) {
      this.#signHere(waiting);
      return;
    }
    this.#sent.push(waiting);
    try {
      this.#thread ??= this.#start();
      this.#thread.postMessage(waiting.map(({ payload }) => payload).join('\n'));
    } catch (error) {
      // A machine may have no room for another thread.
      this.#end(String(error));
    }
  }

  #start(): Worker {
    const thread = new Worker(this.#file, {
      workerData: this.keys.current.material satisfies KeyMaterial,
      execArgv: [],
      env: {},
      // It holds nothing for longer than a message takes, so a small heap is enough.
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16, stackSizeMb: 1 },
    });
    thread.on('message', (tokens: string) => {
      const waiting = this.#sent.shift() ?? [];
      for (const [i, token] of tokens.split('\n').entries()) waiting[i]?.resolve(token);
    });
    thread.on('error', (error) => this.#end(String(error)));
    thread.on('exit', (code) => this.#end(`it exited with ${code}`));
    thread.unref();
    return thread;
  }

  #end(reason: string): void {
    if (!this.#ended) this.#onEnd(reason);
    this.#settleAll();
  }

  #settleAll(): void {
    this.#ended = true;
    for (const waiting of this.#sent.splice(0)) this.#signHere(waiting);
  }

  #signHere(waiting: Waiting[]): void {
    for (const { payload, resolve } of waiting) resolve(this.keys.current.sign(payload));
  }
}
