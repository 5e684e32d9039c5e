import { setTimeout as sleep } from 'node:timers/promises';
import { type Fleet, postgresFleet, until } from '@session-launch/testing/fleet.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { type Link, type Meddling, startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { effort } from '../harness/effort.ts';
import { History } from './history.ts';
import { Load } from './load.ts';
import { type Random, seededRandom } from './random.ts';
import { storedAt } from './stored.ts';

const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

/** Mints while `cut` breaks the connection of the recorder again and again, then compares answers and database. */
async function mintThroughCuts(
  fleet: Fleet,
  service: ServiceProcess,
  random: Random,
  cut: (round: number) => Promise<void>,
): Promise<void> {
  const history = new History();
  const world = await createWorld(service, { project: { limits } });
  const load = new Load(history, { random, world, target: () => service.url });
  const rounds = effort(6, 150);
  for (let round = 0; round < rounds; round++) {
    const before = load.acknowledged;
    await history.breaking(() => cut(round));
    await until('launches after a cut', async () => load.acknowledged > before + 20);
  }
  await load.stop();
  expect(history.problems(await storedAt(fleet.databaseUrl))).toEqual([]);
  // The database was there all the time, so a retry told what had become of each batch.
  const { acknowledged, ...others } = history.tally();
  expect(acknowledged).toBeGreaterThan(rounds * 20);
  expect(Object.keys(others).filter((status) => !['400', '409'].includes(status))).toEqual([]);
  expect((await service.call({ path: '/readyz' })).status).toBe(200);
}

test('a backend that is told to go while it records costs no launch and doubles none', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const service = await fleet.start();
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND state = 'active' AND query LIKE '%FROM record_sessions(%'
                  AND pid <> pg_backend_pid()`;
  await onDatabase(fleet.databaseUrl, (client) =>
    mintThroughCuts(fleet, service, seededRandom(context), async () => {
      await until('a backend that records', async () => ((await client.query(end)).rowCount ?? 0) > 0);
    }),
  );
});

/** When the connection breaks: before the statement is sent on, while it runs, or when its answer is on the way back. */
type Moment = 'before' | 'during' | 'after';
const moments: Moment[] = ['before', 'during', 'after'];
/** PostgreSQL says so once a statement has been committed. */
const readyForQuery = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Cuts the connection of the next batch that is recorded, once, at a moment of the test's choice. */
class Scissors implements Meddling {
  #order: { moment: Moment; done: () => void } | undefined;
  #answering: { link: Link; done: () => void } | undefined;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  cutNext(moment: Moment): Promise<void> {
    return new Promise((done) => {
      this.#order = { moment, done };
    });
  }

  readonly toServer = (link: Link, bytes: Buffer): boolean => {
    if (this.#order === undefined || !bytes.includes('record_sessions')) return true;
    const { moment, done } = this.#order;
    this.#order = undefined;
    const cut = () => {
      link.cut();
      done();
    };
    if (moment === 'after') this.#answering = { link, done: cut };
    else if (moment === 'before') cut();
    else void sleep(this.#random() * 4).then(cut);
    return moment !== 'before';
  };

  readonly toClient = (link: Link, bytes: Buffer): boolean => {
    if (link !== this.#answering?.link) return true;
    if (bytes.includes(readyForQuery)) this.#answering.done();
    return false;
  };
}

test('a connection that breaks before, during or after a commit costs no launch and doubles none', async (context) => {
  const fleet = await postgresFleet(context.onTestFinished);
  const random = seededRandom(context);
  const scissors = new Scissors(random);
  const proxy = await startTcpProxy(
    context.onTestFinished,
    Number(new URL(fleet.databaseUrl).port),
    scissors,
  );
  const service = await fleet.start({ DATABASE_URL: proxy.through(fleet.databaseUrl) });
  await mintThroughCuts(fleet, service, random, (round) => scissors.cutNext(moments[round % 3]!));
});
