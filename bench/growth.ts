import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { type Contestant, measure } from './contestant.ts';
import type { Request } from './world.ts';

/** Puts sessions of the past beside the ones that a run mints, straight into the table. */
export async function fillSessions(databaseUrl: string, count: number): Promise<void> {
  await onDatabase(databaseUrl, async (client) => {
    await client.query(
      `INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, user_id, mode, speech_input_mode,
                             speech_only, locale, created_at, token_issued_at, token_expires_at, token_issuer, token_key_id)
       SELECT 'ses_0' || lpad(to_hex(i), 25, '0'), 'prj_bench', 'exp_bench_' || i % 100, 1, true, 'server', 'user-' || i % 5000,
              'conversation', 'auto', false, 'en', now() - interval '1 day', 1, 601, 'http://127.0.0.1:8080', 'kid'
         FROM generate_series(1, $1::integer) i`,
      [count],
    );
    await client.query('VACUUM ANALYZE sessions');
    // What was filled in has to reach the disk at some time: better now than while something is measured.
    await client.query('CHECKPOINT');
  });
}

export interface MemoryPoint {
  minted: number;
  residentBytes: number;
}

/** Mints until `total` sessions exist, reading the resident memory on the way. */
export async function mintMany(
  contestant: Contestant,
  request: Request,
  total: number,
  progress: (minted: number) => void,
): Promise<MemoryPoint[]> {
  const points: MemoryPoint[] = [];
  let minted = 0;
  while (minted < total) {
    const { statuses } = await measure({ ...request, connections: 64, seconds: 10 });
    minted += statuses['201'] ?? 0;
    points.push({ minted, residentBytes: await contestant.residentBytes() });
    progress(minted);
  }
  return points;
}
