import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/main.ts';
import type { Environment } from '../../src/config/config.ts';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  env?: Environment;
  cwd: string;
  stdin?: string;
  /** Makes both outputs a terminal; called with everything written to standard error. */
  terminal?: (text: string) => void;
}

/** Runs the command line in this process, with its own environment and outputs. */
export async function runCli(
  argv: string[],
  { env = {}, cwd, stdin = '', terminal }: RunOptions,
): Promise<Outcome> {
  const stdout = new Collector(terminal && (() => {}));
  const stderr = new Collector(terminal);
  const code = await run(argv, { env, cwd, stdin: Readable.from([stdin]), stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly #onText: ((text: string) => void) | undefined;

  constructor(onText?: (text: string) => void) {
    super();
    this.isTTY = onText !== undefined;
    this.#onText = onText;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    this.#onText?.(chunk.toString());
    done();
  }
}
