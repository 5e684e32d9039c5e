import { execFileSync } from 'node:child_process';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { recorded, speak } from '@session-launch/testing/speaker.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createWorld, runtime, type World } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { timeoutFactor } from '../../../testing/src/tiers.ts';
import { startTalking, type TalkingProcess } from '../harness/talking-process.ts';

/** Duration in minutes; use HEARING_MINUTES=30 before a release. */
const minutes = Number(process.env.HEARING_MINUTES ?? '5');
const speakers = 5;
const mind = {
  greeting: { en: 'Welcome.' },
  topics: [
    {
      id: 'ferries',
      ask: { en: 'When do the ferries leave?' },
      tell: { en: 'The ferries leave at every full hour.' },
    },
  ],
};

let talking: TalkingProcess;
let world: World;
beforeAll(async () => {
  talking = await startTalking(inject('dataFolder'), { HEARING: 'local' });
  world = await createWorld(talking.service, {
    experience: {
      runtime: runtime({
        speechInputMode: 'auto',
        transport: { type: 'websocket' },
        limits: { maxSeconds: 7200, idleSeconds: 120 },
        mind,
      }),
    },
  });
});
afterAll(() => talking?.stop());

/** Processes of the service that hear: their ids and resident memory in MB. */
function hearers(): { pid: number; mb: number }[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)!);
  const children = (parent: number) => rows.filter(([, , ppid]) => Number(ppid) === parent);
  return children(talking.service.pid)
    .flatMap(([, pid]) => children(Number(pid)))
    .filter(([, , , , args]) => args?.includes('moonshine-process'))
    .map(([, pid, , rss]) => ({ pid: Number(pid), mb: Number(rss) / 1024 }));
}

test(
  `${speakers} people speak for ${minutes} minutes: all are answered, and memory stays flat`,
  async () => {
    const url = `${talking.service.url.replace('http', 'ws')}/runtime`;
    const over = performance.now() + minutes * 60_000;
    const times: number[] = [];
    const talks = Array.from({ length: speakers }, async () => {
      const { sessionToken } = await launched(talking.service, world);
      const client = new Talker(url, sessionToken);
      await client.ready();
      const speech = await recorded(client, 'When do the ferries leave?');
      while (performance.now() < over) times.push(await speak(client, speech));
      await client.leave();
    });
    const memory: number[] = [];
    const timer = setInterval(() => {
      const mb = hearers().reduce((sum, one) => sum + one.mb, 0);
      if (mb > 0) memory.push(mb);
    }, 5000);
    await Promise.all(talks).finally(() => clearInterval(timer));
    const third = Math.floor(memory.length / 3);
    const highest = (part: number[]) => Math.max(...part);
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)]!);
    console.log(
      `${times.length} turns; end of speech to first audio: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms; memory ${memory.map(Math.round).join(' ')} MB`,
    );
    expect(times.length).toBeGreaterThan(speakers);
    expect(highest(memory.slice(-third))).toBeLessThan(highest(memory.slice(third, 2 * third)) * 1.1);
  },
  (minutes + 5) * 60_000 * timeoutFactor,
);

test('a killed hearing process costs one turn, and no session', async () => {
  const url = `${talking.service.url.replace('http', 'ws')}/runtime`;
  const { sessionToken } = await launched(talking.service, world);
  const client = new Talker(url, sessionToken);
  await client.ready();
  const speech = await recorded(client, 'When do the ferries leave?');
  await speak(client, speech);
  await client.listening();
  const turn = speak(client, speech);
  const [hearer] = hearers();
  process.kill(hearer!.pid, 'SIGKILL');
  await turn;
  await speak(client, speech);
  expect(hearers()[0]!.pid).not.toBe(hearer!.pid);
  await client.leave();
});
