import type { Mind } from '@session-launch/contract/project-file/mind';
import type { Dialogue, Said, Setting } from '../../src/mind/mind.ts';
import { scriptedMind } from '../../src/mind/script/script.ts';

const never = new AbortController().signal;

export const harbor: Mind = {
  greeting: { en: ['Good morning!', 'Ahoy there!'], es: '¡Buenos días!' },
  fallback: { en: ['Here I only know my harbor stories.', 'That is no harbor story.'] },
  topics: [
    {
      id: 'ferries',
      ask: { en: ['When do the ferries leave?', 'timetable'], es: '¿Cuándo salen los transbordadores?' },
      words: { en: ['ferry', 'boat', 'crossing'], es: ['barco'] },
      tell: { en: ['At every full hour.', 'The first one leaves at six.'], es: 'Cada hora en punto.' },
      // biome-ignore lint/suspicious/noThenProperty: the word that authors write
      then: ['tides'],
    },
    {
      id: 'tides',
      ask: { en: 'How high is the tide?' },
      words: { en: ['tide', 'flood'] },
      tell: { en: 'Two meters.' },
    },
    { id: 'gulls', ask: { en: 'Why do the gulls scream?' }, tell: { en: 'They are hungry.' } },
    {
      id: 'riddle',
      ask: { en: 'Do you know a riddle?' },
      words: { en: ['riddle', 'puzzle'] },
      tell: {
        en: ['What has teeth but cannot bite?', 'Not quite. It lives in your bathroom.', 'It was a comb!'],
      },
      // biome-ignore lint/suspicious/noThenProperty: the word that authors write
      then: ['riddle', 'solved'],
    },
    {
      id: 'solved',
      ask: { en: ['I give up', 'A comb'] },
      words: { en: ['comb'] },
      tell: { en: 'A comb it is!' },
    },
  ],
};

export interface TestDialogue {
  dialogue: Dialogue;
  open(): Promise<string>;
  say(text: string): Promise<string>;
  pieces(text: string): Promise<Said[]>;
}

/** Always chooses the first alternative, so that tests are deterministic. */
export const firstChoice = () => scriptedMind(() => 0);

/** A conversation in which every reply is played to the end. */
export function openDialogue(mind: Mind, more: Partial<Setting> = {}, script = firstChoice()): TestDialogue {
  const dialogue = script.begin({
    mind,
    mode: 'conversation',
    locale: 'en',
    characters: [{ characterId: 'maren', name: 'Maren', voice: {} }],
    title: 'Harbor',
    revision: 'exp_harbor 1',
    ...more,
  });
  const collect = async (said: AsyncIterable<Said>): Promise<Said[]> => {
    const pieces: Said[] = [];
    for await (const piece of said) pieces.push(piece);
    const text = pieces.map((piece) => piece.text).join(' ');
    dialogue.remember(text, text);
    return pieces;
  };
  const joined = async (said: AsyncIterable<Said>) => (await collect(said)).map(({ text }) => text).join(' ');
  return {
    dialogue,
    open: () => joined(dialogue.open(never)),
    say: (text) => joined(dialogue.answer(text, never)),
    pieces: (text) => collect(dialogue.answer(text, never)),
  };
}
