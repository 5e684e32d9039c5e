import { expect, test } from 'vitest';
import { partOf, renamed, resultSize } from '../src/editor/tabs/gallery/cropping.ts';

const wide = { width: 1200, height: 800 };
const centre = { zoom: 1, across: 0.5, down: 0.5 };

test('keeps the largest part of a shape, around the centre', () => {
  expect(partOf(wide, { ...centre, shape: 'card' })).toEqual({ left: 0, top: 25, width: 1200, height: 750 });
  expect(partOf(wide, { ...centre, shape: 'square' })).toEqual({
    left: 200,
    top: 0,
    width: 800,
    height: 800,
  });
  expect(partOf(wide, { ...centre, shape: 'original' })).toEqual({ left: 0, top: 0, ...wide });
});

test('zooms in and moves to the edges, never outside the picture', () => {
  const corner = { shape: 'portrait', zoom: 2, across: 1, down: 1 } as const;
  expect(partOf(wide, corner)).toEqual({ left: 900, top: 400, width: 300, height: 400 });
});

test('limits the width of the result and never enlarges a picture', () => {
  expect(resultSize({ width: 6000, height: 4000 }, { ...centre, shape: 'card' })).toEqual({
    width: 1280,
    height: 800,
  });
  expect(resultSize({ width: 3, height: 2 }, { ...centre, shape: 'square' })).toEqual({
    width: 2,
    height: 2,
  });
});

test('the name gets the extension of the new type', () => {
  expect(renamed('sea.view.jpeg', 'image/webp')).toBe('sea.view.webp');
  expect(renamed('.png', 'image/jpeg')).toBe('picture.jpg');
});
