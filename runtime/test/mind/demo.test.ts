import { readFileSync } from 'node:fs';
import type { Mind } from '@session-launch/contract/project-file/mind';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { firstChoice, talk } from './talk.ts';

interface Demo {
  experiences: { slug: string; runtime: { mind: Mind; mode?: 'conversation' | 'presenter' } }[];
}

const file = new URL('../../../examples/demo.yaml', import.meta.url);
const { experiences } = parse(readFileSync(file, 'utf8')) as Demo;
const texts = (given: string | string[] | undefined) => [given ?? []].flat();

/** One for all conversations, as in a service: it makes each script ready once. */
const script = firstChoice();

/** Every question that the minds of the demo show, with what may be answered. */
const questions = experiences.flatMap(({ slug, runtime: { mind } }) =>
  (mind.topics ?? []).flatMap(({ id, ask = {}, tell = {} }) =>
    Object.keys(ask).map((locale) => ({ slug, mind, id, locale, ask: ask[locale], tell: tell[locale] })),
  ),
);

describe.each(questions)('$slug, $locale: $id', ({ slug, mind, locale, ask, tell, id }) => {
  test('its question gets its answer', async () => {
    const character = talk(mind, { locale, revision: slug }, script);
    await character.open();
    const answer = await character.say(texts(ask)[0]!);
    // Whether somebody is a person is answered by the service itself, before any script.
    if (id !== 'honest') expect(texts(tell)).toContain(answer);
    else expect(answer).not.toBe('');
  });
});
