import { type Contestant, measure } from './contestant.ts';
import type { Environment } from './environment.ts';
import type { Target } from './report.ts';
import { type MemoryPoint, memoryTargets } from './targets.ts';
import type { Request } from './world.ts';

/** Mints until `total` sessions exist, sampling the resident memory. */
export async function measureMemory(
  { progress, signal }: Environment,
  engine: string,
  contestant: Contestant,
  request: Request,
  total: number,
  limitMegabytes: number,
): Promise<Target[]> {
  const points: MemoryPoint[] = [];
  let minted = 0;
  while (minted < total) {
    const { statuses } = await measure({ ...request, connections: 64, seconds: 10 }, signal);
    minted += statuses['201'] ?? 0;
    points.push({ minted, residentBytes: await contestant.residentBytes() });
    progress(`memory, ${engine}: ${minted} of ${total} minted`);
  }
  return memoryTargets(engine, points, limitMegabytes);
}
