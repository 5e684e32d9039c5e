import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/main.ts';
import type { Environment } from '../../src/config.ts';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** The command line in this process, with surroundings of its own. */
export async function runCli(
  argv: string[],
  { env = {}, cwd, stdin = '' }: { env?: Environment; cwd: string; stdin?: string },
): Promise<Outcome> {
  const stdout = new Collector();
  const stderr = new Collector();
  const code = await run(argv, { env, cwd, stdin: Readable.from([stdin]), stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
