import { mindTexts } from '../../../texts/editor/mind.ts';

/** A field with texts by language. */
export interface TextsField {
  name: string;
  label: string;
  /** When the runtime uses it, where the help of the schema does not say it. */
  used?: string;
  /** Words are short: one on each line. Other texts may have several lines each. */
  as: 'variants' | 'lines';
  /** Whether the runtime uses only the first variant. Others can be removed, but not added. */
  isSingle?: boolean;
  /** Whether the heading above the field has its help already. */
  isExplained?: boolean;
}

/** The fields of the tab Mind, for its components and for the test that compares them with the schema. Paths begin at the mind. */
export const ofMind = { persona: 'persona', greeting: 'greeting', fallback: 'fallback' } as const;

/** What a model that hears and speaks uses. Paths begin at `realtime`. */
export const ofRealtime = { model: 'model', voice: 'voice' } as const;

export const ofTopic = {
  list: 'topics',
  id: 'id',
  followUps: 'then',
  /** Of `then`, if the topic calls a tool. */
  call: { tool: 'tool', arguments: 'arguments' },
  /** Shown on the left, beside the answer. */
  question: [
    { name: 'ask', label: mindTexts.topics.ask, used: mindTexts.topics.askUsed, as: 'variants' },
    { name: 'words', label: mindTexts.topics.words, as: 'lines' },
  ],
  answer: [{ name: 'tell', label: mindTexts.topics.tell, used: mindTexts.topics.tellUsed, as: 'variants' }],
} as const satisfies Record<string, string | Record<string, string> | TextsField[]>;

export const ofTool = {
  list: 'tools',
  name: 'name',
  fields: { description: 'description', url: 'url', parameters: 'parameters' },
} as const;

export const ofLesson = {
  list: 'lessons',
  id: 'id',
  phrase: [{ name: 'say', label: mindTexts.lessons.say, used: mindTexts.lessons.sayUsed, as: 'variants' }],
  meaning: [{ name: 'gloss', label: mindTexts.lessons.gloss, as: 'variants', isSingle: true }],
} as const satisfies Record<string, string | TextsField[]>;

export const ofSection = {
  list: 'presentation',
  id: 'id',
  heading: [{ name: 'title', label: mindTexts.presentation.title, as: 'variants', isSingle: true }],
  text: [{ name: 'tell', label: mindTexts.presentation.tell, as: 'variants', isSingle: true }],
} as const satisfies Record<string, string | TextsField[]>;
