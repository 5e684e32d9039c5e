import type { Talker } from '@session-launch/testing/talker.ts';
import { connected, timeToAudio } from './listener.ts';
import type { TalkingWorld } from './world.ts';

/** Questions per client: a runtime accepts ten texts in ten seconds from one client. */
const turnsOfOne = 9;

/**
 * Asks `turns` questions, each after the previous answer, with as many clients as needed, and returns the milliseconds until the first
 * audio of each answer. Calls `then` after that.
 */
export async function askQuickly(
  world: TalkingWorld,
  turns: number,
  then: (client: Talker) => void = () => {},
): Promise<number[]> {
  const times: number[] = [];
  for (const launch of await world.launches(Math.ceil(turns / turnsOfOne))) {
    const client = await connected(world.url, launch, { isUnpaced: true });
    for (let turn = 0; turn < turnsOfOne && times.length < turns; turn++) {
      await client.listening();
      times.push(await timeToAudio(client, world.nextQuestion()));
      then(client);
    }
    await client.listening();
    await client.leave();
  }
  return times;
}
