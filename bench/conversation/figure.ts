import { median } from '../statistics.ts';

/** A value measured in every round, and its limit. */
export interface Figure {
  name: string;
  unit: string;
  limit: number;
  digits: number;
  rounds: number[];
}

export function figure(name: string, limit: number, unit = 'ms', digits = 0): Figure {
  return { name, unit, limit, digits, rounds: [] };
}

export function isReached({ rounds, limit }: Figure): boolean | undefined {
  const value = median(rounds);
  return Number.isFinite(value) ? value <= limit : undefined;
}
