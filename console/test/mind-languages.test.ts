import type { Mind } from '@session-launch/contract/project-file/mind';
import { expect, test } from 'vitest';
import { missingIn, withLanguageBack, withoutLanguage } from '../src/editor/tabs/mind/mind-languages.ts';

const mind: Mind = {
  persona: 'You are Maren.',
  greeting: { en: ['Hello', 'Ahoy'], es: 'Hola' },
  topics: [
    { id: 'a', ask: { en: 'A?', es: '¿A?' }, words: { es: ['a'] }, tell: { en: 'A.', es: ['A.'] } },
    { id: 'b', ask: { en: 'B?' }, tell: { en: 'B.' } },
  ],
  lessons: [{ id: 'l', say: { es: 'Buenos días' }, gloss: { en: 'Good morning', es: 'Buenos días' } }],
  presentation: [{ id: 's', title: { es: 'T' }, tell: { en: 'T', es: 'T' } }],
};

test('removing a language removes its texts and the fields that become empty, but no phrase to learn', () => {
  expect(withoutLanguage(mind, 'es')).toEqual({
    persona: 'You are Maren.',
    greeting: { en: ['Hello', 'Ahoy'] },
    topics: [
      { id: 'a', ask: { en: 'A?' }, tell: { en: 'A.' } },
      { id: 'b', ask: { en: 'B?' }, tell: { en: 'B.' } },
    ],
    lessons: [{ id: 'l', say: { es: 'Buenos días' }, gloss: { en: 'Good morning' } }],
    presentation: [{ id: 's', tell: { en: 'T' } }],
  });
});

test('undo brings the texts of a language back, to where their items are now', () => {
  const after = withoutLanguage(mind, 'es');
  expect(withLanguageBack(after, mind, 'es')).toEqual(mind);
  const changed: Mind = {
    ...after,
    greeting: { en: 'Hi', es: 'Buenas' },
    topics: [...after.topics!].reverse(),
  };
  const restored = withLanguageBack(changed, mind, 'es');
  expect(restored.greeting).toEqual({ en: 'Hi', es: 'Buenas' });
  expect(restored.topics).toEqual([mind.topics![1], mind.topics![0]]);
});

test('a text in another region of a language is not missing, as in the runtime', () => {
  expect(missingIn(mind, 'es-MX')).toEqual({ greeting: false, fallback: true, topics: 1, sections: 0 });
  expect(missingIn(mind, 'en')).toEqual({ greeting: false, fallback: true, topics: 0, sections: 1 });
  expect(missingIn(mind, 'fr')).toEqual({ greeting: true, fallback: true, topics: 2, sections: 1 });
});
