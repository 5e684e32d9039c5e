import { LRUCache } from 'lru-cache';
import type { Mind } from '../mind.ts';
import { ScriptDialogue, type TopicsOf } from './dialogue.ts';
import { presented } from './presenter.ts';
import { Topics } from './topics.ts';

const maxScripts = 100;

/** The built-in mind: speaks only texts of the project file and built-in phrases. */
export function scriptedMind(random: () => number = Math.random): Mind {
  // Parsing a long script blocks the event loop for tens of milliseconds, so the result is cached per revision and locale of the script.
  const ready = new LRUCache<string, Topics>({ max: maxScripts });
  const topicsOf: TopicsOf = ({ revision, mind }, written, stopWords) => {
    const key = `${revision} ${written}`;
    const known = ready.get(key);
    if (known !== undefined) return known;
    const made = new Topics(mind.topics ?? [], written, stopWords);
    ready.set(key, made);
    return made;
  };
  return {
    kind: 'script',
    name: 'script',
    begin: (setting) => presented(new ScriptDialogue(setting, random, topicsOf), setting),
  };
}
