import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { median, percentile } from '../statistics.ts';
import { type Figure, figure } from './figure.ts';
import { askQuickly } from './hasty.ts';
import { connected, type Listener } from './listener.ts';
import { mouthErrors } from './mouth.ts';
import { provisionTalk, question } from './world.ts';

/** Measures the time to the first audio of an answer, the time to silence after an interruption, and lip sync. All offline. */
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
  const mouth = figure('mouth cues against the sound, p95', 40);
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round}/${rounds}: ${turns} turns`);
    const { times, listeners } = await askQuickly(world, turns);
    half.rounds.push(median(times));
    most.rounds.push(percentile(times, 0.95));
    mouth.rounds.push(percentile(listeners.flatMap(mouthErrors), 0.95));

    const [launch] = await world.launches(1);
    const listener = await connected(service.url, launch!);
    const silences: number[] = [];
    for (let turn = 0; turn < Math.min(turns, 9); turn++) {
      await listener.listening();
      await listener.ask(question(turn));
      await pause(300);
      silences.push(await silenced(listener));
    }
    silence.rounds.push(percentile(silences, 0.95));
    await listener.leave();
  }
  await service.stop();
  return [half, most, silence, mouth];
}

/** Milliseconds until the character is silent: until the later of the last frame and the `interrupted` event. */
async function silenced(listener: Listener): Promise<number> {
  const began = performance.now();
  const from = listener.events.length;
  listener.interrupt();
  await listener.event('interrupted', undefined, from);
  const dropped = performance.now();
  await listener.listening();
  return Math.max(dropped, listener.frames.at(-1)!.at) - began;
}
