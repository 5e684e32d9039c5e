import { setTimeout as sleep } from 'node:timers/promises';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { postgresFleet, until, untilReady } from '@session-launch/testing/fleet.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { type Interception, type Link, startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { effort } from '../harness/effort.ts';
import { type Random, seededRandom } from '../harness/random.ts';
import { History } from './history.ts';
import { Load } from './load.ts';
import { storedAt } from './stored.ts';

const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

const cleanup = useCleanup();
const history = new History();
let databaseUrl: string;
let cutter: CommitCutter;
let service: ServiceProcess;
let world: World;
beforeAll(async () => {
  const fleet = await postgresFleet(cleanup);
  databaseUrl = fleet.databaseUrl;
  cutter = new CommitCutter();
  const proxy = await startTcpProxy(cleanup, Number(new URL(databaseUrl).port), cutter);
  service = await fleet.start({ DATABASE_URL: proxy.through(databaseUrl) });
  world = await createWorld(service, { project: { limits } });
});

/** Mints while `cut` repeatedly breaks the connection of the recorder, then compares the responses with the database. */
async function mintThroughCuts(random: Random, cut: (round: number) => Promise<void>): Promise<void> {
  const sofar = history.tally().acknowledged ?? 0;
  const load = new Load(history, { random, world, target: () => service.url });
  // Also stops the load if the test fails, since the next test uses the same service.
  onTestFinished(() => load.stop());
  const refused = () => history.tally()['503'] ?? 0;
  let roundsServed = 0;
  const rounds = effort(6, 150);
  for (let round = 0; round < rounds; round++) {
    const before = { acknowledged: load.acknowledged, refused: refused() };
    await history.breaking(() => cut(round));
    await until('launches after a cut', async () => load.acknowledged > before.acknowledged + 20);
    if (refused() === before.refused) roundsServed++;
  }
  await load.stop();
  expect(history.problems(await storedAt(databaseUrl))).toEqual([]);
  // A retry determines the outcome of each batch. A busy machine can take too long to reconnect in one round; a defect shows in every round.
  expect(roundsServed).toBeGreaterThan(0);
  const { acknowledged = 0, ...others } = history.tally();
  expect(acknowledged - sofar).toBeGreaterThan(rounds * 20);
  expect(Object.keys(others).filter((status) => !['400', '409', '503'].includes(status))).toEqual([]);
  await untilReady(service);
}

test('terminating a backend during a write loses and duplicates no launch', async (context) => {
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND state = 'active' AND query LIKE '%FROM record_launches(%'
                  AND pid <> pg_backend_pid()`;
  await onDatabase(databaseUrl, (client) =>
    mintThroughCuts(seededRandom(context), async () => {
      await until('a backend that records', async () => ((await client.query(end)).rowCount ?? 0) > 0);
    }),
  );
});

/** When the connection breaks: before the statement is forwarded, while it runs, or before its result is forwarded. */
type Moment = 'before' | 'during' | 'after';
const moments: Moment[] = ['before', 'during', 'after'];
/** The ReadyForQuery message that PostgreSQL sends after a commit. */
const readyForQuery = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** Cuts the connection of the next recorded batch, once, at a given moment. */
class CommitCutter implements Interception {
  #order: { moment: Moment; afterMs: number; done: () => void } | undefined;
  #answering: { link: Link; done: () => void } | undefined;

  /** `during` cuts the connection `afterMs` milliseconds after the statement was forwarded. */
  cutNext(moment: Moment, afterMs: number): Promise<void> {
    return new Promise((done) => {
      this.#order = { moment, afterMs, done };
    });
  }

  readonly toServer = (link: Link, bytes: Buffer): boolean => {
    if (this.#order === undefined || !bytes.includes('record_launches')) return true;
    const { moment, afterMs, done } = this.#order;
    this.#order = undefined;
    const cut = () => {
      link.cut();
      done();
    };
    if (moment === 'after') this.#answering = { link, done: cut };
    else if (moment === 'before') cut();
    else void sleep(afterMs).then(cut);
    return moment !== 'before';
  };

  readonly toClient = (link: Link, bytes: Buffer): boolean => {
    if (link !== this.#answering?.link) return true;
    if (bytes.includes(readyForQuery)) this.#answering.done();
    return false;
  };
}

test('a connection that breaks before, during or after a commit loses and duplicates no launch', async (context) => {
  const random = seededRandom(context);
  await mintThroughCuts(random, (round) => cutter.cutNext(moments[round % 3]!, random() * 4));
});
