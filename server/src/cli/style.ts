import type { Io } from './io.ts';

export type Paint = (colour: 'green' | 'yellow' | 'red' | 'dim', text: string) => string;

const codes = { green: 32, yellow: 33, red: 31, dim: 2 } as const;

/** Colours are for a terminal, unless NO_COLOR says otherwise (https://no-color.org). */
export function hasColours(io: Io): boolean {
  return io.stdout.isTTY === true && !io.env.NO_COLOR;
}

export function paintFor(io: Io): Paint {
  const on = hasColours(io);
  return (colour, text) => (on ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text);
}
