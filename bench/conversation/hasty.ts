import { connected, type Listener } from './listener.ts';
import type { TalkingWorld } from './world.ts';

/** Questions per client: a runtime accepts ten texts in ten seconds from one client. */
const turnsOfOne = 9;

export interface Asked {
  times: number[];
  listeners: Listener[];
}

/**
 * Asks `turns` questions, each after the previous answer, with as many clients as needed; calls `then` after the first audio of each
 * answer.
 */
export async function askQuickly(
  world: TalkingWorld,
  turns: number,
  then: (listener: Listener) => void = () => {},
): Promise<Asked> {
  const asked: Asked = { times: [], listeners: [] };
  for (const launch of await world.launches(Math.ceil(turns / turnsOfOne))) {
    const listener = await connected(world.url, launch, { isHasty: true });
    asked.listeners.push(listener);
    for (let turn = 0; turn < turnsOfOne && asked.times.length < turns; turn++) {
      await listener.listening();
      asked.times.push(await listener.ask(world.nextQuestion()));
      then(listener);
    }
    await listener.listening();
    await listener.leave();
  }
  return asked;
}
