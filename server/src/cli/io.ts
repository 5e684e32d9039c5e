import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../config.ts';

/** All that a command sees of its surroundings; tests hand in their own. */
export interface Io {
  env: Environment;
  cwd: string;
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}

/** Colours are for a terminal, unless NO_COLOR says otherwise (https://no-color.org). */
export function hasColours(io: Io): boolean {
  return io.stdout.isTTY === true && !io.env.NO_COLOR;
}

/** Resolves when the reader has taken the text, so that long listings wait for slow readers. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

export function writeJson(stream: Writable, value: unknown): Promise<void> {
  return write(stream, `${JSON.stringify(value)}\n`);
}

/** Text that others chose, made harmless for a terminal: no control characters, no reordering. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
