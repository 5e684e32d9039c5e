import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Path, parsePath, valueAt, withValue } from '../src/editor/document/path.ts';
import { isFields, isSame } from '../src/editor/document/same.ts';
import { readYaml, toYaml } from '../src/editor/yaml/text.ts';
import { experiences } from './experiences.ts';

/** The paths of all values that are neither lists nor objects, and of empty ones. */
function leaves(value: unknown, path: Path = []): Path[] {
  const inner = Array.isArray(value)
    ? value.flatMap((item, n) => leaves(item, [...path, n]))
    : isFields(value)
      ? Object.entries(value).flatMap(([name, field]) => leaves(field, [...path, name]))
      : [];
  return inner.length === 0 ? [path] : inner;
}

test('form, document, YAML and form again keep every field', () => {
  fc.assert(
    fc.property(experiences, (experience) => {
      // As the forms do it: field by field into an empty document.
      const places = leaves(experience);
      const document = places.reduce<unknown>(
        (written, path) => withValue(written, path, valueAt(experience, path)),
        {},
      );
      const read = readYaml(toYaml(document));
      expect(read.problems).toEqual([]);
      const lost = places.filter((path) => !isSame(valueAt(read.document, path), valueAt(experience, path)));
      expect(lost).toEqual([]);
      expect(read.document).toEqual(experience);
    }),
    { numRuns: 60 },
  );
});

const text = `id: exp_a
title: Harbor # a comment
runtime:
  characters:
    - characterId: maren
      name: Maren
    - characterId: bo
      name: ""
`;
const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;

describe('problems', () => {
  test.each([
    ['title', 2],
    ['runtime.characters', 4],
    ['runtime.characters[0].name', 6],
    ['runtime.characters[1]', 7],
    ['runtime.characters[1].name', 8],
    ['runtime.characters[1].voice', 7],
    ['runtime.mind.greeting', 3],
    ['slug', 1],
  ])('at %s are on line %i', (path, line) => {
    expect(lineOf(readYaml(text).spanOf(parsePath(path)).from)).toBe(line);
  });

  test.each([
    ['title: "open', 1],
    ['title: A\n\tslug: b', 2],
    ['- a', 1],
    ['just text', 1],
    ['title: A\ntitle: B', 2],
    ['title: [A]', 1],
    ['slug: a\nruntime:\n  characters: none', 3],
    ['slug: a\nruntime:\n  mind:\n    topics:\n      - tell', 5],
  ])('of %j keep it from becoming the document', (wrong, line) => {
    const { document, problems } = readYaml(wrong);
    expect(document).toBeUndefined();
    expect(wrong.slice(0, problems[0]!.from).split('\n')).toHaveLength(line);
    expect(problems[0]!.to).toBeLessThanOrEqual(wrong.length + 1);
  });
});
