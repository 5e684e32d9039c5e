import type { Mind } from '@session-launch/contract/project-file/mind';
import { expect, test } from 'vitest';
import { openDialogue } from './harbor.ts';

const market: Mind = {
  greeting: { en: 'Welcome to my stall.' },
  topics: [{ id: 'fruit', ask: { en: 'What fruit do you sell?' }, tell: { en: 'Mangoes, mostly.' } }],
  lessons: [
    { id: 'hello', say: { 'es-MX': 'Buenos días' }, gloss: { en: 'Good morning' } },
    { id: 'price', say: { 'es-MX': '¿Cuánto cuesta?' }, gloss: { en: 'How much is it?' } },
  ],
};
const dual = { secondaryLocale: 'es-MX' };

test('the first phrase is taught right after the greeting, each part in its language', async () => {
  const { dialogue } = openDialogue(market, dual);
  const said = [];
  for await (const piece of dialogue.open(new AbortController().signal)) said.push(piece);
  expect(said.map(({ locale, text }) => [locale, text])).toEqual([
    ['en', 'Welcome to my stall.'],
    ['en', 'Here is how to say “Good morning”:'],
    ['es-MX', 'Buenos días'],
    ['en', 'Now you.'],
  ]);
  expect(dialogue.suggestions()[0]).toEqual({ text: 'Buenos días', locale: 'es-MX' });
});

test('a close answer is accepted, and the next phrase follows', async () => {
  const mateo = openDialogue(market, dual);
  await mateo.open();
  expect(await mateo.say('buenos dia')).toMatch(/^(Well done|Very good|That was it)!.*¿Cuánto cuesta\?/);
});

test('a wrong answer repeats the phrase, which is later postponed', async () => {
  const mateo = openDialogue(market, dual);
  await mateo.open();
  expect(await mateo.say('buena noche')).toMatch(/^(Almost|Close).*Buenos días$/);
  expect(await mateo.say('xyz')).toMatch(/Buenos días$/);
  expect(await mateo.say('xyz')).toMatch(/^We will come back to that one.*¿Cuánto cuesta\?/);
  expect(await mateo.say('cuanto cuesta')).toContain('Buenos días');
  expect(await mateo.say('Buenos días')).toContain('That was the last phrase');
  expect(await mateo.say('again')).toContain('Buenos días');
});

test('questions are answered during a lesson, and the lesson resumes', async () => {
  const mateo = openDialogue(market, dual);
  await mateo.open();
  expect(await mateo.say('What fruit do you sell?')).toBe('Mangoes, mostly.');
  expect(await mateo.say('Buenos días')).toContain('¿Cuánto cuesta?');
});

test('a phrase can be skipped', async () => {
  const mateo = openDialogue(market, dual);
  await mateo.open();
  expect(await mateo.say('next')).toContain('¿Cuánto cuesta?');
});

test('without phrases in the learnt language the character says so', async () => {
  const mateo = openDialogue(market, { secondaryLocale: 'fi' });
  expect(await mateo.open()).toBe(
    'Welcome to my stall. I have no phrases in that language yet, but we can talk.',
  );
});
