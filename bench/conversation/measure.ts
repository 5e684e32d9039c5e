import type { Environment } from '../environment.ts';
import { measureBesideMints } from './beside-mints.ts';
import { measureCompressed } from './compressed.ts';
import type { Figure } from './figure.ts';
import { measureOverhead } from './overhead.ts';
import { measureSpokenTurns } from './spoken-turns.ts';
import { measureStarts } from './starts.ts';
import { measureTurns } from './turns.ts';

/** The size of a measurement. */
export interface Extent {
  rounds: number;
  /** Per round. */
  turns: number;
  seconds: number;
}

/** Measures the latency of conversations, their cost and their effect on mints, one after the other to avoid interference. */
export async function measureConversations(environment: Environment, extent: Extent): Promise<Figure[]> {
  const { rounds, turns, seconds } = extent;
  return [
    ...(await measureTurns(environment, rounds, turns)),
    ...(await measureSpokenTurns(environment, rounds, Math.ceil(turns / 4))),
    ...(await measureOverhead(environment, rounds, turns, seconds)),
    ...(await measureCompressed(environment, rounds, seconds)),
    ...(await measureBesideMints(environment, rounds, seconds)),
    ...(await measureStarts(environment, rounds)),
  ];
}
