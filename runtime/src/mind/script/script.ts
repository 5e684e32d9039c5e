import type { Mind } from '../mind.ts';
import { presented } from '../presenter.ts';
import { ScriptDialogue } from './dialogue.ts';

/** The mind that comes along: what the project file wrote down, and nothing else. */
export function scriptedMind(random: () => number = Math.random): Mind {
  return {
    kind: 'script',
    name: 'script',
    begin: (setting) => presented(new ScriptDialogue(setting, random), setting),
  };
}
