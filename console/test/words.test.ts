import { expect, test } from 'vitest';
import { differences } from '../src/editor/document/differences.ts';
import { parsePath } from '../src/editor/document/path.ts';
import { experienceSchema, type FieldSchema } from '../src/editor/document/schema.ts';
import { tabOf } from '../src/editor/document/tab-of.ts';
import { labelOf, valueLines } from '../src/editor/document/words.ts';
import { placeOf } from '../src/editor/frame/place-of.ts';

const before = {
  title: 'Harbor',
  public: false,
  runtime: {
    languages: { conversation: 'match' },
    characters: [{ characterId: 'maren', name: 'Maren' }],
    mind: {
      greeting: { en: ['Hello'] },
      topics: [
        { id: 'ferries', ask: { en: 'When do the ferries leave?' }, tell: { en: ['Hourly.'] } },
        { id: 'tides' },
      ],
    },
  },
};

/** The differences as a person reads them. */
function inWords(after: object) {
  return differences(before, after).map((one) => [
    labelOf(one, [after, before]),
    valueLines(one, one.before, [after, before]),
    valueLines(one, one.after, [after, before]),
  ]);
}

test('names fields, languages and items in words, with the values before and after', () => {
  const after = structuredClone(before);
  after.title = 'Old harbor';
  after.public = true;
  after.runtime.languages.conversation = { fixed: 'pt-PT' } as never;
  after.runtime.mind.greeting = { en: ['Hello', 'Ahoy'], de: ['Moin'] } as never;
  after.runtime.mind.topics[0]!.tell!.en = ['Every full hour.'];
  expect(inWords(after)).toEqual([
    ['Title', ['Harbor'], ['Old harbor']],
    ['Public', ['no'], ['yes']],
    [
      'Language of the conversation',
      ['the language that the visitor asks for'],
      ['always Portuguese (Portugal)'],
    ],
    ['Greeting (English)', ['Hello'], ['Hello', 'Ahoy']],
    ['Greeting (German)', undefined, ['Moin']],
    ['Topic “When do the ferries leave?”: answer (English)', ['Hourly.'], ['Every full hour.']],
  ]);
});

test('a new topic at the beginning is one difference, and so is a new order', () => {
  const added = structuredClone(before);
  added.runtime.mind.topics.unshift({ id: 'food', ask: { en: 'Where can I eat?' }, tell: { en: ['Here.'] } });
  expect(inWords(added)).toEqual([
    [
      'Topic “Where can I eat?”',
      undefined,
      ['id: food', 'question (English): Where can I eat?', 'answer (English): Here.'],
    ],
  ]);
  const moved = structuredClone(before);
  moved.runtime.mind.topics.reverse();
  const [ferries, tides] = ['When do the ferries leave?', 'tides'];
  expect(inWords(moved)).toEqual([['Order: topics', [ferries, tides], [tides, ferries]]]);
});

test('names the place of a problem', () => {
  const label = (path: string) => labelOf({ place: placeOf(parsePath(path), before) }, [before]);
  expect(label('slug')).toBe('Slug');
  expect(label('runtime.characters[0].name')).toBe('Character “Maren”: name');
  expect(label('runtime.characters[0].voice.flite.pitch')).toBe('Character “Maren”: pitch');
  expect(label('runtime.mind.greeting.en')).toBe('Greeting (English)');
  expect(label('runtime.mind.greeting.en[0]')).toBe('Greeting (English), variant 1');
  expect(label('runtime.mind.topics[0].tell.en[1]')).toBe(
    'Topic “When do the ferries leave?”: answer (English), variant 2',
  );
  expect(label('')).toBe('The experience');
});

test('every field of the schema has a name and a tab', () => {
  const paths = ({ properties = {} }: FieldSchema, start = ''): string[] =>
    Object.entries(properties).flatMap(([name, field]) =>
      field.properties === undefined ? [`${start}${name}`] : paths(field, `${start}${name}.`),
    );
  for (const path of paths(experienceSchema)) {
    expect(labelOf({ place: path.split('.') }, []), path).toMatch(/^[A-Z][\w ]+(, type|, url)?$/);
    expect(tabOf(parsePath(path)), path).toBeDefined();
  }
  expect(tabOf(['runtime', 'mind', 'topics', 0])).toBe('mind');
  expect(tabOf(['runtime', 'transport'])).toBe('setup');
});
