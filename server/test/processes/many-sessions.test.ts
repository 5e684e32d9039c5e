import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { postgresFleet, processFolder, untilReady } from '@session-launch/testing/fleet.ts';
import { logLines, type ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { storeSessions } from '../harness/many-sessions.ts';

/**
 * A service with many sessions of one project, of which 20,000 have a start button of 65 kB, as launches of an earlier version could have.
 * With MANY_SESSIONS, the number of the others, the test also prints times; with MANY_SESSIONS_ON=postgres, it runs on PostgreSQL instead of
 * the embedded engine.
 */
const cleanup = useCleanup();
const count = Number(process.env.MANY_SESSIONS ?? 200_000);
let service: ServiceProcess;
let world: World;

beforeAll(async () => {
  const { start, open } = await deployment();
  const first = await start();
  world = await createWorld(first, { project: { limits: { mintsPerMinute: null } } });
  await first.kill('SIGINT');
  const database = await open();
  const ofWorld = { projectId: world.projectId, experienceId: world.experienceId, hasColumns: false };
  const day = 86_400_000;
  await storeSessions(database, { ...ofWorld, count, newest: Date.now() - 2 * day });
  await storeSessions(database, { ...ofWorld, count: 20_000, newest: Date.now() - day, isLarge: true });
  await database.close();
  service = await start();
});

interface Deployment {
  start(): Promise<ServiceProcess>;
  /** Opens the database while no process runs. */
  open(): Promise<Database>;
}

async function deployment(): Promise<Deployment> {
  if (process.env.MANY_SESSIONS_ON === 'postgres') {
    const { start, databaseUrl } = await postgresFleet(cleanup);
    return { start, open: () => openPostgres(databaseUrl, { onIdleError: () => undefined }) };
  }
  const { path, start } = await processFolder(cleanup);
  const DATA_DIR = await prepareDataFolder(join(path, 'data'));
  return { start: () => start({ DATA_DIR }), open: () => openEmbedded(DATA_DIR) };
}

test('reads of all filters and of revisions leave the service and its mints alone', async () => {
  let isReading = true;
  const statuses: Record<number, number> = {};
  const waits: number[] = [];
  const minting = async () => {
    while (isReading) {
      const begun = performance.now();
      const { status } = await service.call({
        method: 'POST',
        path: '/v1/sessions',
        headers: { Authorization: `Bearer ${world.key}` },
        body: { experienceId: world.experienceId },
      });
      statuses[status] = (statuses[status] ?? 0) + 1;
      waits.push(performance.now() - begun);
    }
  };
  const minters = [minting(), minting()];
  const { projectId, experienceId } = world;
  const list = `/admin/projects/${projectId}/sessions`;
  const paths = [
    `${list}?origin=https://nowhere.example.com`,
    `${list}?locale=de-CH`,
    `${list}?experienceId=${experienceId}&status=ended`,
    `${list}?limit=500`,
    `/admin/experiences/${experienceId}/revisions`,
  ];
  const seen: string[] = [];
  for (const path of paths) {
    const begun = performance.now();
    const answer = await service.admin({ path });
    seen.push(`${path} ${answer.status} ${Math.round(performance.now() - begun)} ms`);
    expect([200, 503]).toContain(answer.status);
  }
  isReading = false;
  await Promise.all(minters);
  if (process.env.MANY_SESSIONS !== undefined)
    console.log(seen, `longest mint ${Math.round(Math.max(...waits))} ms`);
  expect(Object.keys(statuses)).toEqual(['201']);
  const restarts = logLines(service).filter(({ msg }) => /took too long/.test(String(msg)));
  expect(restarts).toEqual([]);
  await untilReady(service);
});
