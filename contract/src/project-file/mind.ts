import type { Static } from 'typebox';
import { optional } from '../fields.ts';
import Type from '../type.ts';
import { closed } from './fields.ts';
import { patterns } from './patterns.ts';
import { type Tool, tools } from './tools.ts';

const id = (example: string) =>
  Type.String({
    pattern: patterns.mindId,
    description: 'Name, unique in this list: 1 to 64 letters, digits, "_" or "-".',
    examples: [example],
  });

const text = { minLength: 1, maxLength: 4000, pattern: patterns.notBlank, examples: ['Good morning!'] };

/** One text or several variants, by language. */
function texts(description: string, example: Record<string, string | string[]>) {
  return Type.Unsafe<Record<string, string | string[]>>({
    type: 'object',
    minProperties: 1,
    maxProperties: 50,
    additionalProperties: {
      type: ['string', 'array'],
      ...text,
      minItems: 1,
      maxItems: 50,
      items: { type: 'string', ...text },
    },
    description: `${description} By language, as a BCP 47 tag; one text or a list of variants.`,
    examples: [example],
  });
}

const optionalTexts = (...args: Parameters<typeof texts>) => Type.Optional(texts(...args));

/** A tool that a script calls after the answer of a topic. */
export interface ToolToCall {
  tool: string;
  arguments?: Record<string, unknown>;
}

const topic = Type.Object(
  {
    id: id('ferries'),
    ask: optionalTexts('The question; shown as a suggestion and matched against what visitors say.', {
      en: 'When do the ferries leave?',
    }),
    words: optionalTexts('Additional words that select this topic.', { en: ['ferry', 'boat'] }),
    tell: optionalTexts('The answer.', { en: ['At every full hour.', 'The first one leaves at six.'] }),
    // biome-ignore lint/suspicious/noThenProperty: the word that authors write
    then: Type.Optional(
      Type.Unsafe<string[] | ToolToCall>({
        type: ['array', 'object'],
        maxItems: 20,
        items: id('tides'),
        properties: {
          tool: id('find_table'),
          arguments: {
            type: 'object',
            additionalProperties: true,
            description: 'Arguments of every call. They must match the parameters of the tool.',
            examples: [{ when: 'tonight' }],
          },
        },
        required: ['tool'],
        additionalProperties: false,
        description:
          'Topics to offer next, or a tool to call: after the answer, the character says the text in the response of the tool.',
        examples: [['tides'], { tool: 'find_table' }],
      }),
    ),
  },
  { ...closed, description: 'A topic of conversation.' },
);

const realtimeName = (description: string, example: string) =>
  optional.string({
    minLength: 1,
    maxLength: 200,
    pattern: patterns.notBlank,
    description,
    examples: [example],
  });

const realtime = Type.Object(
  {
    model: realtimeName('The model. It must be in `REALTIME_MODELS` of the runtime.', 'gpt-realtime-mini'),
    voice: realtimeName('The voice. It must be in `REALTIME_VOICES` of the runtime.', 'marin'),
  },
  {
    ...closed,
    description:
      'What a model that hears and speaks uses for this experience instead of its defaults. The runtime ignores what its operator does not allow.',
    examples: [{ voice: 'marin' }],
  },
);

const lesson = Type.Object(
  {
    id: id('morning'),
    say: texts('The phrase to learn, in the paired language.', { 'pt-PT': 'Bom dia' }),
    gloss: optionalTexts('The translation.', { en: 'Good morning' }),
  },
  { ...closed, description: 'A phrase that learners repeat.' },
);

const section = Type.Object(
  {
    id: id('opening'),
    title: optionalTexts('Its heading.', { en: 'The sky tonight' }),
    tell: optionalTexts('What the presenter says.', { en: ['Look up and find the Plough.'] }),
  },
  { ...closed, description: 'A section of the presentation.' },
);

export const mind = Type.Object(
  {
    persona: optional.string({
      minLength: 1,
      maxLength: 8000,
      pattern: patterns.notBlank,
      description: 'Who the character is, for a language model.',
      examples: ['You are Maren, who knows every boat in the harbor.'],
    }),
    realtime: Type.Optional(realtime),
    greeting: optionalTexts('The greeting.', { en: ['Good morning!', 'Ahoy there!'] }),
    fallback: optionalTexts('The answer when no topic matches.', {
      en: ['Here I only know my harbor stories.'],
    }),
    topics: Type.Optional(
      Type.Array(topic, {
        maxItems: 500,
        description: 'The topics of conversation.',
        examples: [[{ id: 'ferries', ask: { en: 'When do the ferries leave?' }, tell: { en: ['Hourly.'] } }]],
      }),
    ),
    tools: Type.Optional(tools),
    lessons: Type.Optional(
      Type.Array(lesson, {
        maxItems: 200,
        description: 'The phrases to learn, in dual experiences.',
        examples: [[{ id: 'morning', say: { 'pt-PT': 'Bom dia' }, gloss: { en: 'Good morning' } }]],
      }),
    ),
    presentation: Type.Optional(
      Type.Array(section, {
        maxItems: 200,
        description: 'The sections of the presentation.',
        examples: [[{ id: 'opening', title: { en: 'The sky tonight' }, tell: { en: ['Look up.'] } }]],
      }),
    ),
  },
  {
    ...closed,
    description:
      'What the characters know and say. Used only by the runtime; frozen in the revision and never sent to clients.',
    examples: [{ greeting: { en: ['Good morning!'] } }],
  },
);

export type Mind = Static<typeof mind>;
export type { Tool };
