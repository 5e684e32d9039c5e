import { setTimeout as pause } from 'node:timers/promises';
import type { Talker } from '@session-launch/testing/talker.ts';
import type { Environment } from '../environment.ts';
import { median, percentile } from '../statistics.ts';
import { type Figure, figure } from './figure.ts';
import { connected, timeToAudio } from './listener.ts';
import { askQuickly } from './unpaced.ts';
import { provisionTalk, question } from './world.ts';

/** Measures the time to the first audio of an answer, the and the time to silence after an interruption, both offline. */
export async function measureTurns(
  environment: Environment,
  rounds: number,
  turns: number,
): Promise<Figure[]> {
  const { progress } = environment;
  const service = await environment.embedded();
  const world = await provisionTalk(service);
  const half = figure('typed turn → first audio, p50', 150);
  const most = figure('typed turn → first audio, p95', 300);
  const silence = figure('interrupt → last frame, p95', 100);
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round}/${rounds}: ${turns} turns`);
    const times = await askQuickly(world, turns);
    half.rounds.push(median(times));
    most.rounds.push(percentile(times, 0.95));

    const [launch] = await world.launches(1);
    const client = await connected(service.url, launch!);
    const silences: number[] = [];
    for (let turn = 0; turn < Math.min(turns, 9); turn++) {
      await client.listening();
      await timeToAudio(client, question(turn));
      await pause(300);
      silences.push(await silenced(client));
    }
    silence.rounds.push(percentile(silences, 0.95));
    await client.leave();
  }
  await service.stop();
  return [half, most, silence];
}

/** Milliseconds until the character is silent: until the later of the last frame and the `interrupted` event. */
async function silenced(client: Talker): Promise<number> {
  const began = performance.now();
  const from = client.events.length;
  client.interrupt();
  await client.until(() => client.events.slice(from).some(({ type }) => type === 'interrupted'));
  const dropped = performance.now();
  await client.listening();
  return Math.max(dropped, client.frameTimes.at(-1)!) - began;
}
