import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { type Cleanup, until } from '@session-launch/testing/fleet.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { timeLimits } from '../../../testing/src/tiers.ts';
import { type EmbeddedDatabase, openEmbedded } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import type { Luck, Recorded } from '../harness/crashed-disk.ts';
import { effort } from '../harness/effort.ts';
import { failingDisk } from '../harness/failing-disk.ts';
import { type Random, seededRandom } from '../harness/random.ts';
import { crashable, recordedDisk } from '../harness/recorded-disk.ts';
import { type Service, startService } from '../harness/service.ts';

interface Acknowledged {
  sessionId: string;
  /** Size of the disk's journal at that moment, in bytes. */
  at: number;
}

/** Clients that mint sequentially until a mint is rejected or they are stopped. */
class Minting {
  readonly acknowledged: Acknowledged[] = [];
  #isOver = false;
  readonly #clients: Promise<void>[];

  constructor(service: Service, world: World, position: () => Promise<number>) {
    this.#clients = Array.from({ length: 4 }, () => this.#mint(service, world, position));
  }

  /** Resolves when `count` more launches were acknowledged. */
  async more(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count;
    await until(`${count} launches`, async () => this.acknowledged.length >= wanted, 120_000);
  }

  async stop(): Promise<Acknowledged[]> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    return this.acknowledged;
  }

  async #mint(
    service: Service,
    { key, experienceId }: World,
    position: () => Promise<number>,
  ): Promise<void> {
    while (!this.#isOver) {
      const { status, json } = await service.call({
        method: 'POST',
        path: '/v1/sessions',
        headers: { Authorization: `Bearer ${key}`, 'Idempotency-Key': crypto.randomUUID() },
        body: { experienceId },
      });
      if (status !== 201) return;
      this.acknowledged.push({ sessionId: json.session.sessionId, at: await position() });
    }
  }
}

/** A checkpoint as in maintenance, with a new WAL file each time. */
async function checkpoint(database: EmbeddedDatabase): Promise<void> {
  await database.client.query('SELECT pg_switch_wal()');
  await database.client.query('CHECKPOINT');
}

/** Mints through checkpoints, a crash of the engine and its recovery; returns the launches and the recorded disk changes. */
async function recordedRun(cleanup: Cleanup) {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const dataDir = await prepareDataFolder(join(folder.path, 'data'));
  const disk = recordedDisk(dataDir, join(folder.path, 'journal'));
  const { set, env } = await failingDisk(folder.path);
  const start = async () => {
    const database = await disk.opening(env, () => openEmbedded(dataDir));
    cleanup(() => database.close());
    await migrate(database);
    return { database, service: await startService({}, { database } as unknown as Service) };
  };
  const crashing = await start();
  const world = await createWorld(crashing.service);
  const from = await disk.position();
  const before = new Minting(crashing.service, world, disk.position);
  for (let round = 0; round < effort(2, 6); round++) {
    await before.more(10);
    await checkpoint(crashing.database);
  }
  await before.more(10);
  await set({ sync: 'EIO' });
  await until('the end of the engine', async () => !crashing.database.own?.alive());
  const acknowledged = await before.stop();
  await crashing.service.close();
  await crashing.database.close();

  await set({});
  const recovered = await start();
  const after = new Minting(recovered.service, world, disk.position);
  await after.more(10);
  await checkpoint(recovered.database);
  await after.more(10);
  acknowledged.push(...(await after.stop()));
  await recovered.service.close();
  await recovered.database.close();
  const { changes, afterPowerCut } = await crashable(disk.journal);
  return { afterPowerCut, acknowledged, changes, from: changes.findIndex(({ end }) => end > from) };
}

/** Half of the points are random; the others are right after critical changes: writes of pg_control, renames and removals. */
function crashPoints(changes: Recorded[], from: number, random: Random, count: number): number[] {
  const control = changes.find((change) => change.op === 'create' && change.path.endsWith('pg_control'));
  const isDelicate = (change: Recorded) =>
    change.op === 'move' ||
    change.op === 'remove' ||
    (change.op === 'write' && control?.op === 'create' && change.inode === control.inode);
  const all = [...changes.keys()].slice(from);
  const delicate = all.filter((i) => isDelicate(changes[i]!));
  expect(delicate.length).toBeGreaterThan(10);
  const pick = (places: number[]) => places[Math.floor(random() * places.length)]!;
  return Array.from({ length: count }, (_, i) => pick(i % 2 === 0 ? delicate : all));
}

/** Opens the database after a power loss, checks its integrity, writes to it, and returns its session ids. */
async function sessionsIn(dataDir: string): Promise<Set<string>> {
  const database = await openEmbedded(dataDir);
  try {
    await migrate(database);
    const found = await database.client.query<{ id: string }>('SELECT id FROM sessions');
    const { rows: orphans } = await database.client.query(
      'SELECT hash FROM idempotency_keys k WHERE NOT EXISTS (SELECT FROM sessions s WHERE s.id = k.session_id)',
    );
    expect(orphans).toEqual([]);
    await database.client.query('CREATE TABLE after_all (n integer)');
    return new Set(found.rows.map(({ id }) => id));
  } finally {
    await database.close();
  }
}

describe('a machine that loses power', { timeout: timeLimits(30).testTimeout }, () => {
  let run: Awaited<ReturnType<typeof recordedRun>>;
  const cleanup = useCleanup();
  beforeAll(async () => {
    run = await recordedRun(cleanup);
  }, timeLimits(10).hookTimeout);

  test('keeps every acknowledged launch', async (context) => {
    const { afterPowerCut, changes, acknowledged, from } = run;
    const random = seededRandom(context);
    const lucks: Luck[] = [
      () => false,
      () => random() < 0.5,
      (what) => what === 'name',
      () => random() < 0.9,
    ];
    for (const [i, point] of crashPoints(changes, from, random, effort(4, 60)).entries()) {
      const told = changes.slice(0, point + 1);
      const due = acknowledged.filter(({ at }) => at <= told.at(-1)!.end);
      const stored = await afterPowerCut(told, lucks[i % lucks.length]!, sessionsIn);
      const lost = due.filter(({ sessionId }) => !stored.has(sessionId));
      expect(lost, `after change ${point} of ${changes.length}`).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThan(40);
  });

  test('has a complete database or none if it happens during its first start', async () => {
    const { afterPowerCut, changes } = await crashable(inject('firstStart'));
    const moved = changes.findIndex((change) => change.op === 'move' && change.to.endsWith('/database'));
    const namesOnly: Luck = (what) => what === 'name';
    await afterPowerCut(changes.slice(0, moved + 1), namesOnly, async (dataDir) => {
      await access(join(dataDir, 'database'));
      expect(await sessionsIn(dataDir)).toEqual(new Set());
    });
  });
});
