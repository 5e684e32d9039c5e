import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { type Fleet, postgresFleet, rows, until } from '@session-launch/testing/fleet.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { type Link, startTcpProxy, type TcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import {
  apply,
  createWorld,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  runtime,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshFor } from '../../src/store/cache/loading.ts';

/** A change made on one process, the request that observes it, and the check that it is in effect. */
interface Change {
  name: string;
  ask(service: ServiceProcess, world: World): Promise<Answer>;
  make(service: ServiceProcess, world: World): Promise<Answer>;
  counts(answer: Answer): boolean;
}

const bodyOf = ({ experienceId }: World) => ({ experienceId });
const fromServer: Change['ask'] = (service, world) => mintFromServer(service, world.key, bodyOf(world));
const fromBrowser: Change['ask'] = (service, world) => mintFromBrowser(service, bodyOf(world));
const fromPublic: Change['ask'] = (service, world) => mintFromPublic(service, bodyOf(world));
const isRefused = (code: string) => (answer: Answer) => answer.json.error?.code === code;

/** Applies the project file with other settings. */
const reapply =
  (settings: { project?: object; experience?: object }): Change['make'] =>
  (service, { file }) => {
    const [experience] = file.experiences;
    return apply(service, {
      project: { ...file.project, ...settings.project },
      experiences: [{ ...experience, ...settings.experience }],
    });
  };

const changes: Change[] = [
  {
    name: 'a revoked key',
    ask: fromServer,
    make: (service, { keyId }) => service.admin({ method: 'POST', path: `/admin/keys/${keyId}/revoke` }),
    counts: isRefused('API_KEY_INVALID'),
  },
  {
    name: 'a published revision',
    ask: fromServer,
    make: reapply({ experience: { runtime: runtime({ mode: 'presenter' }) } }),
    counts: ({ json }) => json.session?.revision === 2,
  },
  {
    name: 'an origin taken from the project',
    ask: fromBrowser,
    make: reapply({ project: { allowedOrigins: [] } }),
    counts: isRefused('ORIGIN_NOT_ALLOWED'),
  },
  {
    name: 'an origin taken from an experience',
    ask: fromPublic,
    make: reapply({ experience: { allowedOrigins: [] } }),
    counts: isRefused('ORIGIN_NOT_ALLOWED'),
  },
  {
    name: 'embeds switched off',
    ask: fromBrowser,
    make: reapply({ project: { browserEmbeds: false } }),
    counts: isRefused('BROWSER_EMBEDS_DISABLED'),
  },
];

/** Milliseconds until the far process applied a change. */
interface Delay {
  sinceMade: number;
  /** Since before the far process queried the old state. */
  sinceCached: number;
}

describe('a change on one process takes effect on the other', () => {
  const cleanup = useCleanup();
  let fleet: Fleet;
  let proxy: TcpProxy;
  let near: ServiceProcess;
  let far: ServiceProcess;
  /** State of the connection on which the far process receives change notifications. */
  let channel: 'open' | 'cut' | 'silent' = 'open';
  const isListening = (link: Link) => link.opening.includes('session-launch listener');

  beforeAll(async () => {
    fleet = await postgresFleet(cleanup);
    proxy = await startTcpProxy(cleanup, Number(new URL(fleet.databaseUrl).port), {
      toServer: (link) => {
        if (isListening(link) && channel === 'cut') link.cut();
        return true;
      },
      toClient: (link) => !(isListening(link) && channel === 'silent'),
    });
    const DATABASE_URL = proxy.through(fleet.databaseUrl);
    [near, far] = await Promise.all([fleet.start(), fleet.start({ DATABASE_URL })]);
  });

  /** Number of processes that listen for notifications, according to pg_stat_activity. */
  const listeners = async () => {
    const text = `SELECT FROM pg_stat_activity
                   WHERE datname = current_database() AND application_name = 'session-launch listener'`;
    return (await rows(fleet.databaseUrl, text)).length;
  };

  /** Makes the change after both processes have cached the old state, and waits until the far process applies it. */
  async function delayOf({ name, ask, make, counts }: Change): Promise<Delay> {
    const world = await createWorld(near, {
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
    let cachedAt = 0;
    for (const service of [near, far]) {
      cachedAt = performance.now();
      const before = await ask(service, world);
      expect(before.status, before.text).toBeLessThan(300);
      expect(counts(before), name).toBe(false);
    }
    const made = await make(near, world);
    const madeAt = performance.now();
    expect(made.status, made.text).toBe(200);
    expect(counts(await ask(near, world)), `${name}, where it was made`).toBe(true);
    await expect.poll(async () => counts(await ask(far, world)), { message: name, interval: 100 }).toBe(true);
    const now = performance.now();
    // The change stays in effect.
    for (let n = 0; n < 20; n++) expect(counts(await ask(far, world)), name).toBe(true);
    return { sinceMade: now - madeAt, sinceCached: now - cachedAt };
  }

  /** Load on the machine can delay a single round; a slow service exceeds the limit in every round. */
  async function expectAllWithin(limit: number): Promise<Delay[]> {
    let delays: Delay[] = [];
    for (let round = 0; round < 5; round++) {
      delays = await Promise.all(changes.map(delayOf));
      if (delays.every(({ sinceMade }) => sinceMade < limit)) break;
    }
    for (const { sinceMade } of delays) expectWithin(sinceMade, limit);
    return delays;
  }

  /** Without notifications, the far process serves every change from its cache until the cached value expires. */
  const expectUnnotified = (delays: Delay[]) =>
    expect(Math.min(...delays.map(({ sinceCached }) => sinceCached))).toBeGreaterThanOrEqual(freshFor);

  test('soon, through a notification', async () => {
    expect(await listeners()).toBe(2);
    await expectAllWithin(2_500);
  });

  test('within 5 s while the channel is cut, and soon once it is back', async () => {
    channel = 'cut';
    for (const link of proxy.links().filter(isListening)) link.cut();
    await until('the channel to be cut', async () => (await listeners()) === 1);
    expectUnnotified(await expectAllWithin(5_000));

    channel = 'open';
    await until('the channel to come back', async () => (await listeners()) === 2);
    await expectAllWithin(2_500);
  });

  test('within 5 s after the channel has silently stopped', async () => {
    channel = 'silent';
    expectUnnotified(await expectAllWithin(5_000));
  });
});
