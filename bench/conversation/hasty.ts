import { connected, type Listener } from './listener.ts';
import type { TalkingWorld } from './world.ts';

/** A runtime takes ten texts in ten seconds from one client. */
const turnsOfOne = 9;

export interface Asked {
  times: number[];
  listeners: Listener[];
}

/** So many questions, each as soon as the answer before is over, from as many clients as that takes; `then` comes after each first sound. */
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
