import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { type Cleanup, processFolder, until } from '@session-launch/testing/fleet.ts';
import { logLines, temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { type EmbeddedHooks, openEmbedded } from '../../src/store/embedded.ts';
import { PgliteClient, StuckEngine } from '../../src/store/pglite-client.ts';
import { failingDisk, withVariables } from '../harness/failing-disk.ts';
import { type Service, startService } from '../harness/service.ts';
import { storedIn } from './stored.ts';

/** A folder with a database of its own, on a disk that a test can break. */
async function ownFolder(cleanup: Cleanup) {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const dataDir = await prepareDataFolder(join(folder.path, 'data'));
  return { path: folder.path, dataDir, disk: await failingDisk(folder.path) };
}

async function startOnFailingDisk(cleanup: Cleanup, hooks: EmbeddedHooks = {}) {
  const { dataDir, disk } = await ownFolder(cleanup);
  const database = await withVariables(disk.env, () => openEmbedded(dataDir, hooks));
  cleanup(() => database.close());
  const service = await startService({}, { database } as unknown as Service);
  const world = await createWorld(service);
  return { disk, dataDir, database, service, world };
}

const mint = (service: Pick<Service, 'call'>, { key, experienceId }: World, more = {}) =>
  service.call({
    method: 'POST',
    path: '/v1/sessions',
    headers: { Authorization: `Bearer ${key}` },
    body: { experienceId, ...more },
  });

describe('the embedded engine', () => {
  test('on a full disk refuses to record, goes on reading, and records again when there is room', async (context) => {
    const told: boolean[] = [];
    const { disk, dataDir, database, service, world } = await startOnFailingDisk(context.onTestFinished, {
      onFull: (isFull) => told.push(isFull),
    });
    const acknowledged: string[] = [];
    await disk.set({ room: 1024 * 1024 });
    // Large ones that cannot be compressed, so that the room is soon gone.
    const startButton = () => ({ label: randomBytes(30_000).toString('base64') });
    const refusal = await until(
      'a refusal',
      async () => {
        const answer = await mint(service, world, { startButton: startButton() });
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
    const read = await service.call({
      path: `/v1/sessions/${acknowledged.at(-1)}`,
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expect(read.status).toBe(200);

    await disk.set({});
    const again = await until('a launch', async () => {
      const answer = await mint(service, world);
      return answer.status === 201 && answer;
    });
    acknowledged.push(again.json.session.sessionId);
    expect(told).toEqual([true, false]);
    await until('readiness', async () => (await service.call({ path: '/readyz' })).status === 200);

    await service.close();
    await database.close();
    const { sessions } = await storedIn(dataDir);
    expect(new Set(sessions.map(({ id }) => id))).toEqual(new Set(acknowledged));
  });

  test('that has ended is told of by health checks, and mints are refused at once', async (context) => {
    const reasons: string[] = [];
    const { disk, database, service, world } = await startOnFailingDisk(context.onTestFinished, {
      onEnd: (reason) => reasons.push(reason),
    });
    context.onTestFinished(() => service.close());
    await disk.set({ sync: 'EIO' });
    const answers = await Promise.all([mint(service, world), mint(service, world)]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(reasons).toEqual([expect.stringContaining('could not fsync')]);
    expect((await mint(service, world)).status).toBe(503);
    expect((await service.call({ path: '/readyz' })).status).toBe(503);
    const health = await service.call({ path: '/healthz' });
    expect([health.status, health.json.status]).toEqual([503, 'unavailable']);
    await database.close();
  });

  test('that waits for the system is given up, and said to be stuck', async (context) => {
    const { path, dataDir, disk } = await ownFolder(context.onTestFinished);
    const wait = join(path, 'pipe');
    execFileSync('mkfifo', [wait]);
    const client = await withVariables(disk.env, () =>
      PgliteClient.open({ folder: join(dataDir, 'database') }, {}, { query: 500 }),
    );
    await disk.set({ wait });
    await expect(client.query('CREATE TABLE t (n integer)')).rejects.toThrow('did not answer in time');
    await expect(client.close()).rejects.toThrow(StuckEngine);
    // A writer lets the thread go.
    await (await open(wait, 'r+')).close();
  });

  test('takes the service with it, which ends with 1 and finds everything at its next start', async (context) => {
    const { dataDir: DATA_DIR, disk } = await ownFolder(context.onTestFinished);
    const { start } = await processFolder(context.onTestFinished);
    const service = await start({ DATA_DIR, ...disk.env });
    const world = await createWorld(service);
    const { json } = await mint(service, world);
    await disk.set({ sync: 'EIO' });
    expect((await mint(service, world)).status).toBe(503);
    expect(await service.exited).toEqual({ code: 1, signal: null });
    const fatal = logLines(service).filter(({ level }) => level === 'fatal');
    expect(fatal).toEqual([expect.objectContaining({ reason: expect.stringContaining('could not fsync') })]);

    const restarted = await start({ DATA_DIR });
    const read = await restarted.call({
      path: `/v1/sessions/${json.session.sessionId}`,
      headers: { Authorization: `Bearer ${world.key}` },
    });
    expect(read.status).toBe(200);
    expect((await mint(restarted, world)).status).toBe(201);
  });
});
