import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../../config/config.ts';

/** The environment of a command; tests pass their own. */
export interface Io {
  env: Environment;
  cwd: string;
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}

/** Whether to print colours: on a terminal, unless NO_COLOR is set (https://no-color.org). */
export function hasColours(io: Io): boolean {
  return io.stdout.isTTY === true && !io.env.NO_COLOR;
}

/** Resolves once the stream has flushed the text, for back-pressure in long listings. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

export function writeJson(stream: Writable, value: unknown): Promise<void> {
  return write(stream, `${JSON.stringify(value)}\n`);
}

/** Makes untrusted text safe for a terminal: replaces control characters and bidirectional overrides. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
