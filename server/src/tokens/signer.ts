import { Worker } from 'node:worker_threads';
import type { KeyMaterial } from './ed25519.js';
import type { SigningKey, SigningKeys } from './signing-keys.ts';

interface Waiting {
  payload: string;
  resolve: (token: string) => void;
}

/** Batches smaller than this are signed on the event loop, which is faster than waking the thread. */
const worthSending = 3;

const threadFile = new URL('./signing-thread.js', import.meta.url);

/**
 * Signs tokens on a worker thread. All payloads of one tick are sent in one message. The thread is started on first use; if it exits,
 * tokens are signed on the event loop.
 */
export class TokenSigner {
  readonly keys: SigningKeys;
  readonly #file: URL;
  readonly #onEnd: (reason: string) => void;
  readonly #sent: Waiting[][] = [];
  #collected: Waiting[] = [];
  #thread: Worker | undefined;
  #ended = false;

  /** `onEnd` is called if the thread exits before `close()`. */
  constructor(keys: SigningKeys, onEnd: (reason: string) => void = () => undefined, file = threadFile) {
    this.keys = keys;
    this.#onEnd = onEnd;
    this.#file = file;
  }

  /** Returns the signed token for these claims (JSON). */
  sign(key: SigningKey, payload: string): string | Promise<string> {
    // Only replays of launches from before a key rotation, which are rare.
    if (key !== this.keys.current) return key.sign(payload);
    return new Promise((resolve) => {
      // Collects the payloads of this tick.
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
      // The thread may fail to start, for example for lack of memory.
      this.#end(String(error));
    }
  }

  #start(): Worker {
    const thread = new Worker(this.#file, {
      workerData: this.keys.current.material satisfies KeyMaterial,
      execArgv: [],
      env: {},
      // The thread keeps no state between messages, so a small heap is enough.
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
