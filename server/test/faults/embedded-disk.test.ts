import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { processFolder, until } from '@session-launch/testing/fleet.ts';
import { logLines, temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EngineHooks } from '../../../engine/src/engine.ts';
import { PgliteClient, StuckEngine } from '../../../engine/src/pglite-client.ts';
import { type EmbeddedDatabase, openEmbedded } from '../../src/store/embedded.ts';
import { failingDisk, withVariables } from '../harness/failing-disk.ts';
import { type Service, startService } from '../harness/service.ts';
import { storedIn } from './stored.ts';

/** One data folder on a disk with injected faults, opened by one engine after another. */
const cleanup = useCleanup();
let folder: string;
let dataDir: string;
let disk: Awaited<ReturnType<typeof failingDisk>>;
let world: World;
const acknowledged: string[] = [];
/** Marks mints that were rejected with an unknown outcome. */
const inDoubt = { startButton: { tag: 'in doubt' } };

beforeAll(async () => {
  const own = await temporaryFolder();
  cleanup(own.remove);
  folder = own.path;
  dataDir = await prepareDataFolder(join(folder, 'data'));
  disk = await failingDisk(folder);
});

const mint = (service: Pick<Service, 'call'>, more = {}) =>
  service.call({
    method: 'POST',
    path: '/v1/sessions',
    headers: { Authorization: `Bearer ${world.key}` },
    body: { experienceId: world.experienceId, ...more },
  });

const read = (service: Pick<Service, 'call'>, sessionId?: string) =>
  service.call({ path: `/v1/sessions/${sessionId}`, headers: { Authorization: `Bearer ${world.key}` } });

describe('the embedded engine', () => {
  const told: boolean[] = [];
  const reasons: string[] = [];
  let database: EmbeddedDatabase;
  let service: Service;

  test('that fails makes the service exit with 1; all data is there when the folder is opened again', async () => {
    const { start } = await processFolder(cleanup);
    const first = await start({ DATA_DIR: dataDir, ...disk.env });
    world = await createWorld(first);
    acknowledged.push((await mint(first)).json.session.sessionId);
    await disk.set({ sync: 'EIO' });
    expect((await mint(first, inDoubt)).status).toBe(503);
    expect(await first.exited).toEqual({ code: 1, signal: null });
    const fatal = logLines(first).filter(({ level }) => level === 'fatal');
    expect(fatal).toEqual([expect.objectContaining({ reason: expect.stringContaining('could not fsync') })]);

    await disk.set({});
    const hooks: EngineHooks = {
      onFull: (isFull) => told.push(isFull),
      onEnd: (reason) => reasons.push(reason),
    };
    database = await withVariables(disk.env, () => openEmbedded(dataDir, hooks));
    cleanup(() => database.close());
    service = await startService({}, { database } as unknown as Service);
    cleanup(() => service.close());
    expect((await read(service, acknowledged[0])).status).toBe(200);
    const again = await mint(service);
    expect(again.status).toBe(201);
    acknowledged.push(again.json.session.sessionId);
  });

  test('on a full disk refuses writes, keeps serving reads, and writes again once there is space', async () => {
    await disk.set({ room: 1024 * 1024 });
    // Large and incompressible, so that the disk is full quickly.
    const text = () => randomBytes(375).toString('base64');
    const metadata = () => Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`text${i}`, text()]));
    const refusal = await until(
      'a refusal',
      async () => {
        const answer = await mint(service, { metadata: metadata() });
        if (answer.status !== 201) return answer;
        acknowledged.push(answer.json.session.sessionId);
        return undefined;
      },
      60_000,
    );
    expect([refusal.status, refusal.json.error.code]).toEqual([503, 'UNAVAILABLE']);
    expect(told).toEqual([true]);
    expect((await service.call({ path: '/readyz' })).status).toBe(503);
    expect((await service.call({ path: '/healthz' })).status).toBe(200);
    expect((await read(service, acknowledged.at(-1))).status).toBe(200);

    await disk.set({});
    const again = await until('a launch', async () => {
      const answer = await mint(service);
      return answer.status === 201 && answer;
    });
    acknowledged.push(again.json.session.sessionId);
    expect(told).toEqual([true, false]);
    await until('readiness', async () => (await service.call({ path: '/readyz' })).status === 200);
  });

  test('that has failed is reported by health checks, and mints are refused at once', async () => {
    await disk.set({ sync: 'EIO' });
    const answers = await Promise.all([mint(service, inDoubt), mint(service, inDoubt)]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(reasons).toEqual([expect.stringContaining('could not fsync')]);
    expect((await mint(service, inDoubt)).status).toBe(503);
    // Requests right after each other get the same cached result.
    await until('not ready', async () => (await service.call({ path: '/readyz' })).status === 503);
    const health = await service.call({ path: '/healthz' });
    expect([health.status, health.json.status]).toEqual([503, 'unavailable']);
    await database.close();
  });

  test('contains every acknowledged session, and none that was refused for lack of space', async () => {
    await disk.set({});
    const { sessions } = await storedIn(dataDir);
    const kept = sessions.filter(({ tag }) => tag !== inDoubt.startButton.tag);
    expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(acknowledged));
  });

  test('that blocks in a system call times out, and is reported as stuck', async () => {
    const wait = join(folder, 'pipe');
    execFileSync('mkfifo', [wait]);
    const client = await withVariables(disk.env, () =>
      PgliteClient.open({ folder: join(dataDir, 'database') }, {}, { query: 500, stop: 500 }),
    );
    await disk.set({ wait });
    await expect(client.query('CREATE TABLE t (n integer)')).rejects.toThrow('did not respond in time');
    await expect(client.close()).rejects.toThrow(StuckEngine);
    // Opening the pipe for writing unblocks the thread.
    await (await open(wait, 'r+')).close();
  });
});
