import { InvalidArgumentError } from 'commander';

/** Parses an option that must be 1 or more. */
export function wholeNumber(value: string): number {
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number, 1 or more.');
}
