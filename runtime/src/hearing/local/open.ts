import type { Hearing } from '../hearing.ts';
import { installProblem, verifiedModel } from './installed.ts';
import { localHearing } from './local.ts';

export interface LocalHearingOptions {
  /** Maximum processes. */
  max: number;
  /** Logs a sentence. */
  warn(problem: string): void;
  problemOf?: typeof installProblem;
  verified?: typeof verifiedModel;
}

/** Returns the engine, or `page` if it is not installed or damaged. */
export async function openLocalHearing(options: LocalHearingOptions): Promise<Hearing | 'page'> {
  const { max, warn, problemOf = installProblem, verified = verifiedModel } = options;
  const broken = (problem: string) =>
    warn(`local speech recognition does not work, and the browser's is used instead: ${problem}`);
  try {
    const problem = problemOf();
    if (problem !== undefined)
      throw new Error(`${problem}; install the packages again (npm ci), or set HEARING=page`);
    return localHearing(await verified(), { max, broken });
  } catch (error) {
    broken((error as Error).message);
    return 'page';
  }
}
