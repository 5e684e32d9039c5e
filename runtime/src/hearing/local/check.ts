import { installProblem, verifiedModel } from './installed.ts';
import { localHearing } from './local.ts';
import type { ProcessesDeps } from './processes.ts';

/** Loads the model and transcribes a second of silence. Throws an error that names the problem. */
export async function checkLocalHearing(
  signal: AbortSignal,
  limits: Pick<ProcessesDeps, 'loadMs' | 'deadlineMs'> = {},
): Promise<void> {
  let problem = installProblem();
  if (problem !== undefined) throw new Error(problem);
  const broken = (reported: string) => {
    problem = reported;
  };
  const hearing = localHearing(await verifiedModel(), { ...limits, max: 1, broken });
  const audio = { sampleRate: 16_000, samples: new Int16Array(16_000) };
  try {
    await hearing.transcribe(audio, 'en', signal);
  } catch (error) {
    throw problem === undefined ? error : new Error(problem);
  } finally {
    await hearing.close?.();
  }
}
