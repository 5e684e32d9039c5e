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

  /** Makes the change after both processes have cached the old state; returns the milliseconds until the far process applies it. */
  async function timeOf({ name, ask, make, counts }: Change): Promise<number> {
    const world = await createWorld(near, {
      experience: { public: true, allowedOrigins: [pageOrigin] },
    });
    for (const service of [near, far]) {
      const before = await ask(service, world);
      expect(before.status, before.text).toBeLessThan(300);
      expect(counts(before), name).toBe(false);
    }
    const made = await make(near, world);
    const at = performance.now();
    expect(made.status, made.text).toBe(200);
    expect(counts(await ask(near, world)), `${name}, where it was made`).toBe(true);
    await expect.poll(async () => counts(await ask(far, world)), { message: name, interval: 100 }).toBe(true);
    const ms = performance.now() - at;
    // The change stays in effect.
    for (let n = 0; n < 20; n++) expect(counts(await ask(far, world)), name).toBe(true);
    return ms;
  }

  /** Load on the machine can delay a single round; a slow service exceeds the limit in every round. */
  async function expectAllWithin(limit: number): Promise<number[]> {
    let times: number[] = [];
    for (let round = 0; round < 5; round++) {
      times = await Promise.all(changes.map((change) => timeOf(change)));
      if (Math.max(...times) < limit) break;
    }
    for (const ms of times) expectWithin(ms, limit);
    return times;
  }

  test('soon, through a notification', async () => {
    expect(await listeners()).toBe(2);
    await expectAllWithin(2_500);
  });

  test('within 5 s while the channel is cut, and soon once it is back', async () => {
    channel = 'cut';
    for (const link of proxy.links().filter(isListening)) link.cut();
    await until('the channel to be cut', async () => (await listeners()) === 1);
    const times = await expectAllWithin(5_000);
    // Shows that the channel was cut: the far process kept serving from its cache. On a slow machine some entries may already have been
    // old.
    expect(Math.max(...times)).toBeGreaterThan(500);

    channel = 'open';
    await until('the channel to come back', async () => (await listeners()) === 2);
    await expectAllWithin(2_500);
  });

  test('within 5 s after the channel has silently stopped', async () => {
    channel = 'silent';
    const times = await expectAllWithin(5_000);
    expect(Math.max(...times)).toBeGreaterThan(500);
  });
});
