import { expect, test } from 'vitest';
import { extended, lacking, updated } from '../src/parts/pages.ts';

interface Row {
  id: string;
  status: string;
}

const idOf = ({ id }: Row) => id;
const row = (id: string, status = 'active'): Row => ({ id, status });
const page = (ids: string, next?: string) => ({ rows: [...ids].map((id) => row(id)), next });
const ids = ({ rows }: { rows: readonly Row[] }) => rows.map(idOf).join('');

test('updates rows by their ids, and neither adds nor moves rows', () => {
  const newest = [row('f'), row('d', 'ended'), row('e'), row('a', 'ended')];
  expect(updated(page('edcb', 'b'), newest, idOf)).toEqual({
    rows: [row('e'), row('d', 'ended'), row('c'), row('b')],
    next: 'b',
  });
});

test('counts rows that the list lacks, but not those of its next page', () => {
  const newest = page('gfedcba').rows;
  expect(lacking(page('edc', 'c'), newest, idOf).map(idOf)).toEqual(['g', 'f']);
  expect(lacking(page('ec', 'c'), newest, idOf).map(idOf)).toEqual(['g', 'f', 'd']);
  expect(lacking(page('edc'), newest, idOf).map(idOf)).toEqual(['g', 'f', 'b', 'a']);
});

test('adds new rows in their places and keeps the pages that were loaded', () => {
  const added = extended(page('ecb', 'b'), page('gfedc', 'c'), idOf);
  expect([ids(added), added.next]).toEqual(['gfedcb', 'b']);
});

test('starts again if a newer reading does not reach the rows shown, or none are shown', () => {
  expect(extended(page('cb', 'b'), page('gf', 'f'), idOf)).toEqual(page('gf', 'f'));
  expect(extended(page(''), page('gf', 'f'), idOf)).toEqual(page('gf', 'f'));
});
