import fs from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cleanup, until } from '@session-launch/testing/fleet.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedDatabase, openEmbedded } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrate.ts';
import { CrashedDisk, type Luck, type Recorded, readJournal } from '../harness/crashed-disk.ts';
import { effort } from '../harness/effort.ts';
import { type Service, startService } from '../harness/service.ts';
import { type Random, seededRandom } from './random.ts';

const recorder = fileURLToPath(new URL('../harness/recorded-disk.cjs', import.meta.url));
const { record } = createRequire(import.meta.url)(recorder) as {
  record(root: string, journal: string): () => void;
};

/** An embedded database whose disk remembers the order of everything; and the journal of it. */
async function openRecorded(cleanup: Cleanup) {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-power-'));
  cleanup(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, 'data');
  const journal = join(folder, 'journal');
  fs.mkdirSync(root, { mode: 0o700 });
  const stop = record(root, journal);
  const { NODE_OPTIONS } = process.env;
  process.env.NODE_OPTIONS = `--require ${JSON.stringify(recorder)}`;
  process.env.RECORDED_DISK = JSON.stringify({ root, journal });
  try {
    const database = await openEmbedded(root);
    cleanup(() => database.close());
    const inode = String(fs.statSync(root, { bigint: true }).ino);
    return { folder, journal, inode, database };
  } finally {
    if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
    else process.env.NODE_OPTIONS = NODE_OPTIONS;
    delete process.env.RECORDED_DISK;
    stop();
  }
}

/** Launches, and everything that the disk was told while they were made. */
async function recordedRun(cleanup: Cleanup) {
  const { folder, journal, inode, database } = await openRecorded(cleanup);
  await migrate(database);
  const service = await startService({}, { database } as unknown as Service);
  const { size } = await stat(journal);
  const acknowledged = await mintThroughCheckpoints(service, database, journal, effort(2, 6)).finally(() =>
    service.close(),
  );
  await database.close();
  const changes = await readJournal(journal);
  let restores = 0;
  return {
    acknowledged,
    changes,
    prepared: changes.findIndex(({ end }) => end > size),
    /** The folder as it is found when the power fails right after a change. */
    restored: async (point: number, luck: Luck) => {
      const disk = new CrashedDisk(inode);
      for (const change of changes.slice(0, point + 1)) disk.apply(change);
      const found = join(folder, `found-${restores++}`);
      await disk.restore(found, luck);
      return found;
    },
  };
}

interface Acknowledged {
  sessionId: string;
  /** How much the disk had been told by then. */
  at: number;
}

/** Clients that mint, one launch after the other, while the engine is made to move its log along and let go of it. */
async function mintThroughCheckpoints(
  service: Service,
  database: EmbeddedDatabase,
  journal: string,
  rounds: number,
) {
  const { key, experienceId } = await createWorld(service);
  const acknowledged: Acknowledged[] = [];
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const { status, json } = await service.call({
        method: 'POST',
        path: '/v1/sessions',
        headers: { Authorization: `Bearer ${key}`, 'Idempotency-Key': crypto.randomUUID() },
        body: { experienceId },
      });
      if (status === 201)
        acknowledged.push({ sessionId: json.session.sessionId, at: (await stat(journal)).size });
    }
  };
  const clients = Array.from({ length: 4 }, client);
  const more = (n: number) => {
    const wanted = acknowledged.length + n;
    return until(`${n} launches`, async () => acknowledged.length >= wanted, 60_000);
  };
  await more(10);
  for (let round = 0; round < rounds; round++) {
    await database.client.query('SELECT pg_switch_wal()');
    await more(10);
    await database.client.query('CHECKPOINT');
    await more(10);
  }
  isOver = true;
  await Promise.all(clients);
  return acknowledged;
}

/** Half of them anywhere, the others where it hurts: when the engine has just written what tells where its log begins. */
function crashPoints(changes: Recorded[], from: number, random: Random, count: number): number[] {
  const pick = (places: number[]) => places[Math.floor(random() * places.length)]!;
  const all = changes.map((_, i) => i).filter((i) => i >= from);
  const control = changes.findLast((change) => change.op === 'create' && change.path.endsWith('pg_control'));
  const delicate = all.filter((i) => {
    const change = changes[i]!;
    return (
      change.op === 'move' ||
      change.op === 'remove' ||
      (change.op === 'write' && control?.op === 'create' && change.inode === control.inode)
    );
  });
  expect(delicate.length).toBeGreaterThan(5);
  return Array.from({ length: count }, (_, i) => (i % 2 === 0 ? pick(delicate) : pick(all))).sort(
    (a, b) => a - b,
  );
}

/** What is left of a database, which must open, be whole and take more. */
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

describe('a machine that loses its power', { timeout: 900_000 }, () => {
  let run: Awaited<ReturnType<typeof recordedRun>>;
  const undo: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    run = await recordedRun((step) => undo.unshift(step));
  }, 300_000);
  afterAll(async () => {
    for (const step of undo) await step();
  });

  test('has every launch that was acknowledged', async (context) => {
    const { changes, acknowledged, prepared, restored } = run;
    const random = seededRandom(context);
    const lucks: Luck[] = [
      () => false,
      () => random() < 0.5,
      (what) => what === 'name',
      () => random() < 0.9,
    ];
    const points = crashPoints(changes, prepared, random, effort(4, 40));
    for (const [i, point] of points.entries()) {
      const stored = await sessionsIn(await restored(point, lucks[i % lucks.length]!));
      const due = acknowledged.filter(({ at }) => at <= changes[point]!.end);
      expect(
        due.filter(({ sessionId }) => !stored.has(sessionId)),
        `after change ${point} of ${changes.length}`,
      ).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThan(40);
  });

  test('in its first start has a whole database or none', async () => {
    const { changes, restored } = run;
    const moved = changes.findIndex((change) => change.op === 'move' && change.to.endsWith('/database'));
    const found = await restored(moved, (what) => what === 'name');
    expect(await readdir(found)).toContain('database');
    expect(await sessionsIn(found)).toEqual(new Set());
  });
});
