import { type Item, inserted, removed } from '../../fields/list-changes.ts';

const followUps = ({ then }: Item) => (Array.isArray(then) ? (then as unknown[]) : undefined);

/** A topic with other follow-ups; without the field if there are none. */
export function withFollowUps(topic: Item, then: readonly unknown[]): Item {
  const { then: _, ...others } = topic;
  return then.length === 0 ? others : { ...topic, then };
}

/** Gives a topic another id, and changes the follow-ups that refer to it. */
export function renamedTopic(topics: readonly Item[], index: number, id: string): Item[] {
  const before = topics[index]?.id;
  return topics.map((topic, n) => {
    const then = followUps(topic);
    const changed = then?.includes(before)
      ? withFollowUps(
          topic,
          then.map((one) => (one === before ? id : one)),
        )
      : topic;
    return n === index ? { ...changed, id } : changed;
  });
}

/** Removes a topic, and the follow-ups that refer to it. */
export function withoutTopic(topics: readonly Item[], index: number): Item[] {
  const id = topics[index]?.id;
  return removed(topics, index).map((topic) => {
    const then = followUps(topic);
    return then?.includes(id)
      ? withFollowUps(
          topic,
          then.filter((one) => one !== id),
        )
      : topic;
  });
}

/** Puts a removed topic back, and the follow-ups that referred to it, where the others are unchanged since then. */
export function topicPutBack(topics: readonly Item[], before: readonly Item[], index: number): Item[] {
  const topic = before[index]!;
  const restored = topics.map((one) => {
    const then = followUps(before.find(({ id }) => id === one.id) ?? {});
    if (!then?.includes(topic.id)) return one;
    const others = then.filter((id) => id !== topic.id);
    return others.join() === (followUps(one) ?? []).join() ? withFollowUps(one, then) : one;
  });
  return inserted(restored, Math.min(index, restored.length), topic);
}
