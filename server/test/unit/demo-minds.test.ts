import { readFileSync } from 'node:fs';
import type { Mind } from '@session-launch/contract/project-file/mind';
import { describe, expect, test } from 'vitest';
import { parseProjectFile } from '../../src/documents/project-file.ts';

const demo = new URL('../../../examples/demo.yaml', import.meta.url);
const { experiences } = parseProjectFile(readFileSync(demo, 'utf8'));
type Runtime = (typeof experiences)[number]['runtime'];
type Texts = Record<string, string | string[]>;

const variants = (texts: Texts = {}, locale: string) => [texts[locale] ?? []].flat();

function mindOf({ mind }: Runtime): Mind {
  if (mind === undefined) throw new Error('this experience has no mind');
  return mind;
}

/** The languages that sessions can get by default: those named in the file. */
function ownLanguages({ languages }: Runtime): string[] {
  const { dual, conversation, paired } = languages;
  const spoken = typeof conversation === 'object' ? conversation.fixed : languages.default;
  return [...new Set(dual && typeof paired === 'object' ? [spoken, paired.fixed] : [spoken])];
}

/** Every language of the mind: each language with a greeting must also have replies. */
function spokenLanguages(runtime: Runtime): string[] {
  return [...new Set([...ownLanguages(runtime), ...Object.keys(mindOf(runtime).greeting ?? {})])];
}

describe.each(experiences.map(({ slug, runtime }) => [slug, runtime] as const))(
  'the mind of %s',
  (_, runtime) => {
    test('has a persona, and uses the runtime of the service', () => {
      expect(mindOf(runtime).persona).toMatch(/\S/);
      expect(runtime.transport).toEqual({ type: 'websocket' });
      expect(runtime.limits).toEqual({ maxSeconds: expect.any(Number), idleSeconds: expect.any(Number) });
    });

    test('has a greeting and a fallback in each of its languages, without repetitions', () => {
      const { greeting, fallback } = mindOf(runtime);
      for (const locale of spokenLanguages(runtime)) {
        expect(variants(greeting, locale).length, locale).toBeGreaterThan(1);
        expect(variants(fallback, locale).length, locale).toBeGreaterThan(1);
      }
    });

    test('has at least ten topics, each complete in each of its languages', () => {
      const { topics = [] } = mindOf(runtime);
      expect(topics.length).toBeGreaterThanOrEqual(10);
      for (const { id, ask, words, tell } of topics) {
        for (const locale of spokenLanguages(runtime)) {
          expect(variants(ask, locale), `${id} ${locale}`).toHaveLength(1);
          expect(variants(words, locale), `${id} ${locale}`).not.toHaveLength(0);
          expect(variants(tell, locale).length, `${id} ${locale}`).toBeGreaterThan(1);
        }
      }
    });

    test('links each topic to others, and each is linked from another', () => {
      const { topics = [] } = mindOf(runtime);
      const ids = topics.map(({ id }) => id);
      const followUps = ({ then = [] }: (typeof topics)[number]) => (Array.isArray(then) ? then : []);
      const reached = new Set(topics.flatMap(followUps));
      for (const topic of topics) {
        const [{ id }, then] = [topic, followUps(topic)];
        expect(then.length, id).toBeGreaterThan(0);
        expect(then, id).not.toContain(id);
        for (const next of then) expect(ids, id).toContain(next);
      }
      // These topics are reached by asking, not by following others.
      expect(ids.filter((id) => !reached.has(id) && id !== 'honest' && id !== 'goodbye')).toEqual([]);
    });

    test('uses each question once', () => {
      const { topics = [] } = mindOf(runtime);
      for (const locale of spokenLanguages(runtime)) {
        const asked = topics.flatMap(({ ask }) => variants(ask, locale));
        expect(new Set(asked).size, locale).toBe(asked.length);
      }
    });

    test('has no sentences that are too long or hard to read aloud', () => {
      const { greeting = {}, fallback = {}, topics = [], presentation = [] } = mindOf(runtime);
      const texts = [greeting, fallback, ...[...topics, ...presentation].map(({ tell }) => tell)];
      for (const spoken of texts.flatMap((text = {}) => Object.values(text).flat())) {
        expect(spoken.length, spoken).toBeLessThanOrEqual(350);
        expect(spoken, spoken).not.toMatch(/[*_#`<>[\]{}()/&%~|–—…]|\d|\p{Extended_Pictographic}/u);
        expect(spoken, spoken).toMatch(/[.!?。]$/u);
      }
    });

    test('names a voice for each engine', () => {
      for (const { characterId, voice } of runtime.characters) {
        expect(voice, characterId).toMatchObject({
          flite: {
            voice: expect.stringMatching(/^(slt|rms|awb|kal16)$/),
            pitch: expect.any(Number),
            rate: expect.any(Number),
          },
          openai: { voice: expect.stringMatching(/^[a-z]+$/) },
        });
      }
    });

    test('has a presentation if it presents, and lessons if it is dual', () => {
      const { presentation = [], lessons = [] } = mindOf(runtime);
      if (runtime.mode === 'presenter') expect(presentation.length).toBeGreaterThanOrEqual(5);
      else expect(presentation).toEqual([]);
      if (!runtime.languages.dual) return expect(lessons).toEqual([]);
      expect(lessons.length).toBeGreaterThanOrEqual(8);
      const [spoken = '', paired] = ownLanguages(runtime);
      const taught = paired === undefined ? Object.keys(lessons[0]?.say ?? {}) : [paired];
      for (const { id, say, gloss } of lessons) {
        expect(Object.keys(say).sort(), id).toEqual(taught.toSorted());
        expect(variants(gloss, spoken), id).toHaveLength(1);
      }
    });
  },
);

test('eight experiences have a mind', () => {
  expect(experiences.filter(({ runtime }) => runtime.mind !== undefined)).toHaveLength(8);
});

test('the market haggles step by step, and the clockmaker’s three riddles open a drawer', () => {
  const walk = (slug: string, ...ids: string[]) => {
    const { topics = [] } = mindOf(
      (experiences.find((one) => one.slug === slug) ?? { runtime: {} as Runtime }).runtime,
    );
    for (const [index, id] of ids.entries())
      if (index > 0) expect(topics.find((topic) => topic.id === ids[index - 1])?.then, id).toContain(id);
  };
  walk('market-day', 'price', 'too-much', 'offer-twenty-five', 'walk-away', 'deal-twenty-eight');
  walk(
    'clockmaker',
    'riddle',
    'guess-clock',
    'riddle-two',
    'guess-tomorrow',
    'riddle-three',
    'guess-time',
    'open-drawer',
  );
});
