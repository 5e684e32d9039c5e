import type { Mind } from '@session-launch/contract/project-file/mind';
import type { SessionMode } from '@session-launch/contract/session';
import { type Meaning, ScriptDialogue } from '../../../../../runtime/src/mind/script/dialogue.ts';
import { Presenter, presented } from '../../../../../runtime/src/mind/script/presenter.ts';
import { Topics } from '../../../../../runtime/src/mind/script/topics.ts';

/** What answers a question: something of the script, or a command of the presenter. */
export type Reached = Meaning | { kind: 'command'; command: 'wait' | 'next' };

export interface Conversation {
  mind: Mind;
  mode: SessionMode;
  locale: string;
  /** The language to learn, in dual experiences. */
  secondaryLocale?: string | undefined;
  characters: readonly { characterId: string; name: string }[];
}

/** Prepares the check of questions at the start of a conversation, with the code of the runtime. Takes tens of milliseconds for 500 topics. */
export function questionCheck(conversation: Conversation): (question: string) => Reached {
  const [first = { characterId: '', name: '' }, ...others] = conversation.characters;
  const voiced = (character: typeof first) => ({ ...character, voice: {} });
  const setting = {
    ...conversation,
    characters: [voiced(first), ...others.map(voiced)] as [ReturnType<typeof voiced>],
    revision: '',
    title: '',
  };
  const script = new ScriptDialogue(
    setting,
    () => 0,
    ({ mind }, written, stopWords) => new Topics(mind.topics ?? [], written, stopWords),
  );
  const dialogue = presented(script, setting);
  return (question) => {
    const command = dialogue instanceof Presenter ? dialogue.command(question) : undefined;
    return command === undefined ? script.understand(question) : { kind: 'command', command };
  };
}
