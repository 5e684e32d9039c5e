import { measure } from './contestant.ts';
import type { Environment } from './environment.ts';
import type { Measured } from './load.ts';
import { cpuSeconds } from './processes.ts';
import type { Request } from './world.ts';

/** One scenario of one contestant. */
export interface Entry {
  contestant: string;
  scenario: string;
  request: Request;
  /** Root processes of the contestant; their descendants are included. */
  pids: readonly number[];
}

/** The measurement of one round. */
export interface Sample {
  perSecond: number;
  /** CPU time of all processes per request, in microseconds; NaN where it cannot be measured. */
  cpu: number;
  p50: number;
  p99: number;
}

export interface ScenarioResult {
  contestant: string;
  scenario: string;
  rounds: Sample[];
}

export interface Pace {
  rounds: number;
  seconds: number;
  connections: number;
  /** Requests per second; absent: as many as possible. */
  rate?: number;
}

/**
 * Runs every scenario once per round, so that a load spike of the machine affects all of them alike. The order is reversed every round, so
 * that no scenario always follows the same one.
 */
export async function interleaved(
  environment: Environment,
  entries: readonly Entry[],
  { rounds, ...pace }: Pace,
): Promise<ScenarioResult[]> {
  const { progress } = environment;
  for (const [i, entry] of entries.entries()) {
    progress(`warm-up ${i + 1}/${entries.length}: ${nameOf(entry)}`);
    await sample(environment, entry, { ...pace, seconds: 2 });
  }
  const both = entries.map((entry) => {
    const { contestant, scenario } = entry;
    return { entry, result: { contestant, scenario, rounds: [] } as ScenarioResult };
  });
  for (let round = 1; round <= rounds; round++) {
    const order = round % 2 === 1 ? both : both.toReversed();
    for (const [i, { entry, result }] of order.entries()) {
      progress(`round ${round}/${rounds}, ${i + 1}/${entries.length}: ${nameOf(entry)}`);
      result.rounds.push(await sample(environment, entry, pace));
    }
  }
  return both.map(({ result }) => result);
}

function nameOf({ contestant, scenario }: Entry): string {
  return contestant === scenario ? contestant : `${contestant}, ${scenario}`;
}

/** Measures one round. Only this load runs, so the CPU time of the contestant's processes is the cost of its requests. */
async function sample({ signal }: Environment, entry: Entry, pace: Omit<Pace, 'rounds'>): Promise<Sample> {
  const before = await cpuSeconds(entry.pids);
  const measured = await measure({ ...entry.request, ...pace }, signal);
  const seconds = (await cpuSeconds(entry.pids)) - before;
  const answers = requireExpected(entry, measured);
  const { perSecond, p50, p99 } = measured;
  return { perSecond, cpu: (seconds * 1e6) / answers, p50, p99 };
}

/** Returns the number of responses. Throws if any has another status, so that fast error responses do not count. */
function requireExpected(entry: Entry, { statuses, errors }: Measured): number {
  const expected = statuses[entry.request.status] ?? 0;
  const onlyExpected = Object.keys(statuses).length === 1 && expected > 0;
  if (onlyExpected && errors === 0) return expected;
  throw new Error(`${nameOf(entry)}: ${JSON.stringify(statuses)}, ${errors} errors`);
}

/** Ratio of two scenarios, per round. */
export function ratios(of: ScenarioResult, to: ScenarioResult, figure: keyof Sample): number[] {
  return of.rounds.map((round, i) => round[figure] / to.rounds[i]![figure]);
}

export function figures(of: ScenarioResult, figure: keyof Sample): number[] {
  return of.rounds.map((round) => round[figure]);
}
