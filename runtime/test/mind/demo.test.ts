import { readFileSync } from 'node:fs';
import type { Mind } from '@session-launch/contract/project-file/mind';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { firstChoice, openDialogue } from './harbor.ts';

interface Demo {
  experiences: { slug: string; runtime: { mind: Mind; mode?: 'conversation' | 'presenter' } }[];
}

const file = new URL('../../../examples/demo.yaml', import.meta.url);
const { experiences } = parse(readFileSync(file, 'utf8')) as Demo;
const texts = (given: string | string[] | undefined) => [given ?? []].flat();

/** Shared by all conversations, as in a service: each script is prepared once. */
const script = firstChoice();

/** Every suggested question of the demo minds, with the allowed replies. */
const questions = experiences.flatMap(({ slug, runtime: { mind } }) =>
  (mind.topics ?? []).flatMap(({ id, ask = {}, tell = {} }) =>
    Object.keys(ask).map((locale) => ({ slug, mind, id, locale, ask: ask[locale], tell: tell[locale] })),
  ),
);

describe.each(questions)('$slug, $locale: $id', ({ slug, mind, locale, ask, tell, id }) => {
  test('the first question of each topic gets an answer of that topic', async () => {
    const character = openDialogue(mind, { locale, revision: slug }, script);
    await character.open();
    const answer = await character.say(texts(ask)[0]!);
    // The runtime answers questions about being a person before it consults the script.
    if (id !== 'honest') expect(texts(tell)).toContain(answer);
    else expect(answer).not.toBe('');
  });
});
