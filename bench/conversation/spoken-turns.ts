import { recorded, speak } from '@session-launch/testing/speaker.ts';
import type { Environment } from '../environment.ts';
import type { Launch } from '../runtimes.ts';
import { median, percentile } from '../statistics.ts';
import { type Figure, figure } from './figure.ts';
import { connected } from './listener.ts';
import { provisionTalk, question } from './world.ts';

/** People who talk at the same time. */
const crowds = [
  { speakers: 1, name: 'one speaker' },
  { speakers: 5, name: 'five speakers' },
];
/** Measures the time from the end of speech to the first audio of the answer, with the included hearing, in real time. */
export async function measureSpokenTurns(
  environment: Environment,
  rounds: number,
  turns: number,
): Promise<Figure[]> {
  const { progress } = environment;
  const service = await environment.embedded();
  const world = await provisionTalk(service);
  const figures: Figure[] = [];
  for (const { speakers, name } of crowds) {
    const half = figure(`end of speech → first audio, ${name}, p50`, 900);
    const most = figure(`end of speech → first audio, ${name}, p95`, 1500);
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round}/${rounds}: ${turns} spoken turns, ${name}`);
      const launches = await world.launches(speakers);
      const talks = launches.map((launch, n) => talk(service.url, launch, n, turns));
      const times = (await Promise.all(talks)).flat();
      half.rounds.push(median(times));
      most.rounds.push(percentile(times, 0.95));
    }
    figures.push(half, most);
  }
  await service.stop();
  return figures;
}

/** One speaker repeats a recorded answer of the character. Returns the milliseconds until the answers begin. */
async function talk(url: string, launch: Launch, speaker: number, turns: number): Promise<number[]> {
  const client = await connected(url, launch, { isUnpaced: true });
  const speech = await recorded(client, question(speaker));
  // The first turn waits until the model is loaded.
  await speak(client, speech);
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn++) times.push(await speak(client, speech));
  await client.leave();
  return times;
}
