import { editDistance } from '@session-launch/process/edit-distance';
import { describe, expect, test } from 'vitest';
import { Spelling } from '../../src/mind/script/spelling.ts';
import { segmenterFor } from '../../src/segmenters.ts';

describe('misspelt words', () => {
  const words = ['ferry', 'timetable', 'lighthouse', 'tide', 'crossing', 'harbour', 'transbordador'];
  const spelling = new Spelling(words);

  test.each([
    ['fery', 'ferry'],
    ['feryr', 'ferry'],
    ['ferrry', 'ferry'],
    ['tides', 'tide'],
    ['timetabel', 'timetable'],
    ['lighthuose', 'lighthouse'],
    ['ligthouse', 'lighthouse'],
    ['lihgthuose', 'lighthouse'],
    ['crosing', 'crossing'],
    ['harbor', 'harbour'],
    ['trasbordadro', 'transbordador'],
  ])('%s means %s', (written, meant) => {
    expect(spelling.nearest(written)).toBe(meant);
  });

  test.each(['fury', 'berry', 'tie', 'table', 'crocodile', 'light', 'harbourmasters', 'a'.repeat(41)])(
    '%s means none of the known words',
    (written) => {
      expect(spelling.nearest(written)).toBeUndefined();
    },
  );
});

test('the edit distance is the smallest number of edits, up to a limit', () => {
  const plain = (from: string, to: string): number => {
    const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
    for (let line = 1; line <= from.length; line++) {
      rows.push([line]);
      for (let column = 1; column <= to.length; column++) {
        const isSwap = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
        rows[line]!.push(
          Math.min(
            rows[line - 1]![column]! + 1,
            rows[line]![column - 1]! + 1,
            rows[line - 1]![column - 1]! + (from[line - 1] === to[column - 1] ? 0 : 1),
            line > 1 && column > 1 && isSwap ? rows[line - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
          ),
        );
      }
    }
    return rows[from.length]![to.length]!;
  };
  const texts = ['', 'a', 'ab', 'ba', 'abc', 'acb', 'abcabc', 'cabcab', 'aabbcc', 'bacacb', 'ccccccccc'];
  for (const from of texts)
    for (const to of texts)
      for (const most of [0, 1, 2, 3, 9])
        expect([from, to, most, editDistance(from, to, most)]).toEqual([
          from,
          to,
          most,
          Math.min(most + 1, plain(from, to)),
        ]);
});

test('locales of one language share a segmenter, and the number of cached languages is limited', () => {
  const english = segmenterFor('en', 'word');
  expect(segmenterFor('en-x-a1', 'word')).toBe(english);
  expect(segmenterFor('en-Qaaa-QZ', 'word')).toBe(english);
  expect(segmenterFor('en', 'sentence')).not.toBe(english);
  for (const first of 'qrst')
    for (const second of 'abcdefghijklmnopqrstuvwxyz') segmenterFor(`${first}${second}`, 'word');
  expect(segmenterFor('en', 'word')).not.toBe(english);
});
