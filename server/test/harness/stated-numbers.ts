import { readFileSync } from 'node:fs';

/**
 * The number that follows `text` in a source file, such as `maxStreams = ` or `max: `, divided by `unit`. Reads the source, so that
 * constants need not be exported for a test. If there are several places, they must agree.
 */
export function numberIn(path: string, text: string, unit = 1): number {
  const source = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const found = source
    .split(text)
    .slice(1)
    .map((rest) => /^\d[\d_.]*(?: \* \d[\d_.]*)*/.exec(rest)?.[0])
    .filter((expression) => expression !== undefined);
  const values = found.map((expression) =>
    expression.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1),
  );
  const [value] = values;
  if (value === undefined) throw new Error(`${path} has no number after "${text}"`);
  if (values.some((one) => one !== value)) throw new Error(`${path} has several numbers after "${text}"`);
  return value / unit;
}

/** The units of constants. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const kib = 1_024;
export const mib = 1_024 * kib;
export const million = 1_000_000;

const words = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** A number as running text spells it. */
export function word(value: number): string {
  return words[value] ?? (value === 16 ? 'sixteen' : String(value));
}

/** A number with commas between the thousands. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
