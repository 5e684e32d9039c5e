import type { Environment } from '../environment.ts';
import { measureBesideMints } from './beside-mints.ts';
import { measureClicks } from './clicks.ts';
import type { Figure } from './figure.ts';
import { measureKills } from './killed.ts';
import { measureOverhead } from './overhead.ts';
import { measureStarts } from './starts.ts';
import { measureTurns } from './turns.ts';

/** How much is measured. */
export interface Extent {
  rounds: number;
  /** In a round. */
  turns: number;
  clicks: number;
  seconds: number;
}

/** How conversations feel, what they cost, and what mints notice of them. One thing after the other, so that none disturbs another. */
export async function measureConversations(environment: Environment, extent: Extent): Promise<Figure[]> {
  const { rounds, turns, clicks, seconds } = extent;
  return [
    ...(await measureTurns(environment, rounds, turns)),
    ...(await measureClicks(environment, rounds, clicks)),
    ...(await measureOverhead(environment, rounds, turns, seconds)),
    ...(await measureBesideMints(environment, rounds, seconds)),
    ...(await measureStarts(environment, rounds)),
    ...(await measureKills(environment, rounds)),
  ];
}
