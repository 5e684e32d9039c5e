import { expect, test } from 'vitest';
import { checkFace } from '../../src/art/check-face.ts';
import { drawing, drawingRig } from '../harness/faces.ts';

const checked = (full: Buffer) =>
  checkFace({
    full: full.toString('base64'),
    thumb: drawing().toString('base64'),
    rig: drawingRig as never,
  });

test.each([
  ['an open tag with many ids', `<a${' id="mouth"'.repeat(250_000)} <`],
  ['many open tags', '<a id="other" '.repeat(200_000)],
  ['an id without a value', `<a id${' '.repeat(2_900_000)}<`],
  ['many ids without a value', `<a${' id '.repeat(700_000)}`],
])('a drawing of the largest size is checked in linear time: %s', (_, comment) => {
  expect(checked(drawing(comment)).rigVersion).toBe(1);
});

test('a part that a comment repeats is refused', () => {
  expect(() => checked(drawing('<g id="mouth">'))).toThrow('more than once');
});
