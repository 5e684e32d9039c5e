import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differences } from '../src/editor/document/differences.ts';
import { placeText } from '../src/editor/document/items.ts';
import { merge } from '../src/editor/document/merge.ts';
import { isSame, sharing } from '../src/editor/document/same.ts';
import { experiences } from './experiences.ts';

const topic = (id: string, tell = 'Something') => ({ id, tell: { en: [tell] } });
const experience = (overrides: object = {}, topics: object[] = [topic('a'), topic('b'), topic('c')]) => ({
  title: 'Harbor',
  slug: 'harbor',
  ...overrides,
  runtime: { mind: { greeting: { en: ['Hello'] }, topics } },
});
const idsOf = (document: unknown) =>
  (document as ReturnType<typeof experience>).runtime.mind.topics.map((one) => (one as { id: string }).id);

test('keeps the changes of both sides to different fields', () => {
  const mine = experience({ title: 'Old harbor' });
  const theirs = experience({ description: 'By the sea' }, [topic('a', 'Changed'), topic('b'), topic('c')]);
  const { document, clashes } = merge<unknown>(experience(), mine, theirs);
  expect(clashes).toEqual([]);
  expect(document).toEqual(
    experience({ title: 'Old harbor', description: 'By the sea' }, [
      topic('a', 'Changed'),
      topic('b'),
      topic('c'),
    ]),
  );
});

test('reports a field that both changed, and takes the chosen side', () => {
  const [mine, theirs] = [experience({ title: 'Mine' }), experience({ title: 'Theirs' })];
  const { document, clashes } = merge<unknown>(experience(), mine, theirs);
  expect(clashes).toEqual([{ place: ['title'], base: 'Harbor', mine: 'Mine', theirs: 'Theirs' }]);
  expect(document).toMatchObject({ title: 'Mine' });
  expect(merge<unknown>(experience(), mine, theirs, { title: 'theirs' }).document).toMatchObject({
    title: 'Theirs',
  });
});

describe('items of lists', () => {
  test('are matched by their ids, wherever they are', () => {
    const mine = experience({}, [topic('new'), topic('a'), topic('b', 'Mine'), topic('c')]);
    const theirs = experience({}, [topic('a'), topic('b'), topic('c', 'Theirs'), topic('other')]);
    const { document, clashes } = merge<unknown>(experience(), mine, theirs);
    expect(clashes).toEqual([]);
    expect(document).toEqual(
      experience({}, [topic('new'), topic('a'), topic('b', 'Mine'), topic('c', 'Theirs'), topic('other')]),
    );
  });

  test('that one side removed and the other changed are a clash', () => {
    const mine = experience({}, [topic('a'), topic('c')]);
    const theirs = experience({}, [topic('a'), topic('b', 'Theirs'), topic('c')]);
    const { document, clashes } = merge<unknown>(experience(), mine, theirs);
    expect(clashes.map(({ place }) => placeText(place))).toEqual(['runtime.mind.topics[b]']);
    expect(idsOf(document)).toEqual(['a', 'c']);
    const chosen = merge<unknown>(experience(), mine, theirs, { 'runtime.mind.topics[b]': 'theirs' });
    expect(idsOf(chosen.document)).toEqual(['a', 'b', 'c']);
  });

  test('keep the order of the side that moved them', () => {
    const theirs = experience({ title: 'Theirs' }, [topic('c'), topic('a'), topic('b')]);
    const mine = experience({}, [topic('a'), topic('b'), topic('new'), topic('c')]);
    const { document, clashes } = merge<unknown>(experience(), mine, theirs);
    expect(clashes).toEqual([]);
    expect(idsOf(document)).toEqual(['c', 'a', 'b', 'new']);
  });

  test('that both moved are a clash of the order alone', () => {
    const mine = experience({}, [topic('b'), topic('a'), topic('c', 'Mine')]);
    const theirs = experience({}, [topic('c'), topic('a', 'Theirs'), topic('b')]);
    const { document, clashes } = merge<unknown>(experience(), mine, theirs);
    expect(clashes).toMatchObject([{ isOrder: true, mine: ['b', 'a', 'c'], theirs: ['c', 'a', 'b'] }]);
    expect(document).toEqual(experience({}, [topic('b'), topic('a', 'Theirs'), topic('c', 'Mine')]));
  });

  test('without distinct ids are merged as one value', () => {
    const mine = experience({}, [topic('a'), topic('a')]);
    const theirs = experience({}, [topic('a')]);
    expect(merge<unknown>(experience(), mine, theirs).clashes).toHaveLength(1);
  });
});

test('a merge with an unchanged side is the other side, and loses no change of either', () => {
  fc.assert(
    fc.property(experiences, experiences, experiences, (base, mine, theirs) => {
      expect(merge(base, base, theirs).document).toEqual(theirs);
      expect(merge(base, mine, base).document).toEqual(mine);
      expect(merge(base, mine, mine).clashes).toEqual([]);
      const { document, clashes } = merge(base, mine, theirs);
      // Each field that only they changed has their value in the result, or is inside a field that clashes.
      const ofMine = [...clashes, ...differences(base, mine)].map(({ place }) => placeText(place));
      const lost = differences(document, theirs).filter(
        ({ place }) => !ofMine.some((one) => overlaps(one, placeText(place))),
      );
      expect(lost).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

function overlaps(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

test('sharing returns an equal document with the unchanged parts of the old one', () => {
  const old = experience();
  const next = sharing(old, structuredClone({ ...old, title: 'New' }));
  expect(next).toEqual({ ...old, title: 'New' });
  expect(next.runtime).toBe(old.runtime);
  expect(sharing(old, structuredClone(old))).toBe(old);
});

test('the order of fields does not matter for equality', () => {
  expect(isSame({ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1, d: undefined })).toBe(true);
  expect(isSame({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
  expect(isSame({}, [])).toBe(false);
});
