import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { cpuSeconds } from '../processes.ts';
import { runtimeOf, startCrowd } from './beside.ts';
import { type Figure, figure } from './figure.ts';
import { Listener, runtimeUrl, timeToAudio } from './listener.ts';
import { provisionTalk, question, type TalkingWorld } from './world.ts';

const people = 200;
/** Number of different questions: after one minute, every answer is in the speech cache. */
const subjects = 20;
const rehearsalMs = 60_000;
/** Bytes that WebSocket, TLS, TCP and IP add to a frame of 40 ms. */
const overheadBytes = 2 + 22 + 40;

/** Measures the bits per second of speech and the CPU time of many sessions, as PCM and as Opus, with the included voice. */
export async function measureCompressed(
  environment: Environment,
  rounds: number,
  seconds: number,
): Promise<Figure[]> {
  const { progress, signal } = environment;
  const service = await environment.embedded({ env: { RUNTIME_MAX_SESSIONS: '1000' } });
  const world = await provisionTalk(service);
  const runtime = await runtimeOf(service.pid);
  const figures: Figure[] = [];
  for (const isOpus of [false, true]) {
    const format = isOpus ? 'Opus' : 'PCM';
    const bits = figure(`speech as ${format}, with all headers`, isOpus ? 40 : 300, 'kbit/s');
    const core = figure(`${people} sessions, cached sentences as ${format}`, 30, '% of a core');
    progress(`${people} people come, ${format}`);
    const crowd = await startCrowd({ url: service.url, key: world.key, people, subjects, isOpus });
    await pause(rehearsalMs, undefined, { signal });
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round}/${rounds}: ${people} people listen, ${format}`);
      const [began, before] = [performance.now(), await cpuSeconds([runtime])];
      await pause(seconds * 1000, undefined, { signal });
      const cpu = (await cpuSeconds([runtime])) - before;
      core.rounds.push((cpu / ((performance.now() - began) / 1000)) * 100);
      bits.rounds.push(await kilobits(world, isOpus));
    }
    await crowd.leave();
    figures.push(bits, core);
  }
  await service.stop();
  return figures;
}

/** Kilobits per second of speech that one client receives. */
async function kilobits(world: TalkingWorld, isOpus: boolean): Promise<number> {
  const [launch] = await world.launches(1);
  const client = new Listener(runtimeUrl(world.url), launch!.sessionToken, isOpus);
  await client.listening();
  await timeToAudio(client, question(0));
  await client.listening();
  const bytes = client.frameBytes + client.frames * overheadBytes;
  const ends = client.events.filter(({ type }) => type === 'utterance.end');
  const ms = ends.reduce((sum, { durationMs }) => sum + durationMs, 0);
  await client.leave();
  return (bytes * 8) / ms;
}
