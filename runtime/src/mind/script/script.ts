import { LRUCache } from 'lru-cache';
import type { Mind } from '../mind.ts';
import { presented } from '../presenter.ts';
import { ScriptDialogue, type TopicsOf } from './dialogue.ts';
import { Topics } from './topics.ts';

const mostScripts = 100;

/** The mind that comes along: what the project file wrote down, and nothing else. */
export function scriptedMind(random: () => number = Math.random): Mind {
  // Making a long script ready takes tens of milliseconds, in which nobody else is heard. So it is done once for all its sessions.
  const ready = new LRUCache<string, Topics>({ max: mostScripts });
  const topicsOf: TopicsOf = ({ revision, mind }, locale, stopWords) => {
    const key = `${revision} ${locale}`;
    const known = ready.get(key);
    if (known !== undefined) return known;
    const made = new Topics(mind.topics ?? [], locale, stopWords);
    ready.set(key, made);
    return made;
  };
  return {
    kind: 'script',
    name: 'script',
    begin: (setting) => presented(new ScriptDialogue(setting, random, topicsOf), setting),
  };
}
