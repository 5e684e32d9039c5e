import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFields, isSame } from '../src/editor/document/same.ts';
import { type Path, parsePath, valueAt, withValue } from '../src/editor/path.ts';
import { unifiedPatch } from '../src/editor/yaml/patch.ts';
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

describe('a patch', () => {
  /** Applies a unified difference as patch(1) does. */
  function applied(before: string, patch: string): string {
    const lines = before.split('\n');
    let shift = 0;
    for (const hunk of patch.split(/^@@ /m).slice(1)) {
      const [, start = '', count = ''] = /^-(\d+),(\d+)/.exec(hunk) ?? [];
      const body = hunk.replace(/\n$/, '').split('\n').slice(1);
      const old = body.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
      const from = Number(start) - 1 + shift;
      expect(lines.slice(from, from + Number(count))).toEqual(old);
      const next = body.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
      lines.splice(from, Number(count), ...next);
      shift += next.length - old.length;
    }
    return lines.join('\n');
  }

  test('leads from one text to the other', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '  d'), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const [before, after] = [one.join('\n').trimEnd(), other.join('\n').trimEnd()];
        expect(applied(before, unifiedPatch(before, after, 'shop.yaml'))).toBe(after);
      }),
      { numRuns: 200 },
    );
  });

  test('has only the lines around the differences, and is empty without any', () => {
    const before = Array.from({ length: 50 }, (_, n) => `line ${n + 1}`).join('\n');
    const patch = unifiedPatch(before, before.replace('line 25', 'other'), 'shop.yaml');
    expect(patch.split('\n').slice(0, 3)).toEqual([
      '--- a/shop.yaml',
      '+++ b/shop.yaml',
      '@@ -22,7 +22,7 @@',
    ]);
    expect(patch.split('\n')).toHaveLength(12);
    expect(unifiedPatch(before, before, 'shop.yaml')).toBe('');
  });
});
