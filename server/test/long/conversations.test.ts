import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createWorld, runtime } from '@session-launch/testing/world.ts';
import { expect, onTestFinished, test } from 'vitest';

/** The number of turns in an hour, at one every four seconds. */
const turns = 900;
/** The runtime accepts ten texts in ten seconds per client. */
const turnsOfOne = 9;
const atOnce = 10;
const things = ['ferry', 'lighthouse', 'anchor', 'market', 'bridge'];

const mind = {
  greeting: { en: 'Good morning.' },
  topics: things.map((thing) => ({
    id: thing,
    ask: { en: `What do you know about the ${thing}?` },
    tell: {
      en: Array.from({ length: 20 }, (_, n) => `The ${thing} is ${n + 60} years old. Everybody knows it.`),
    },
  })),
};

test('an hour of turns keeps memory level and leaks no timer or socket', async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  await prepareDataFolder(folder.path);
  const service = await startProcess({ DATA_DIR: folder.path, RUNTIME: 'on' });
  onTestFinished(async () => void (await service.kill('SIGTERM')));
  const world = await createWorld(service, {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
  const address = `${service.url.replace('http', 'ws')}/runtime`;

  let asked = 0;
  /** Runs clients one after the other; some disconnect during a reply. */
  const people = async (until: number) => {
    while (asked < until) {
      const { sessionToken } = await launched(service, world);
      const client = new Talker(address, sessionToken);
      await client.ready();
      for (let turn = 0; turn < turnsOfOne && asked < until; turn++) {
        const thing = things[asked++ % things.length];
        expect(await client.ask(`What do you know about the ${thing}?`)).toContain(thing);
        if (asked % 5 === 0) client.send({ type: 'interrupt' });
      }
      await client.leave();
    }
  };
  const talk = (until: number) => Promise.all(Array.from({ length: atOnce }, () => people(until)));
  /** Waits until all sessions have ended, then reads the resources in use. */
  const quiet = async () => {
    await expect.poll(async () => (await readMetrics(service)).total('session_runtime_sessions')).toBe(0);
    const metrics = await readMetrics(service);
    const active = (type: string) => metrics.total('session_runtime_nodejs_active_resources', { type });
    return {
      megabytes: metrics.total('session_runtime_process_resident_memory_bytes') / 2 ** 20,
      timers: active('Timeout'),
      sockets: active('TCPSocketWrap'),
      files: metrics.total('session_runtime_process_open_fds'),
    };
  };

  // The first third of the turns fills caches and the heap.
  await talk(turns / 3);
  const early = await quiet();
  await talk(turns);
  const late = await quiet();
  expect(late.megabytes, JSON.stringify({ early, late })).toBeLessThan(early.megabytes * 1.2);
  // The keep-alive connection to the service may be open or closed.
  for (const of of ['timers', 'sockets', 'files'] as const)
    expect(late[of], JSON.stringify({ early, late })).toBeLessThanOrEqual(early[of] + 2);
});
