import { expect, test } from 'vitest';
import { isPictureRig, pointsOf, smooth } from '../src/renderers/picture/points.ts';
import { mix, sample } from '../src/renderers/picture/raster.ts';

const rig = {
  rig: 2 as const,
  image: 'full.jpg',
  eyes: { left: [0.4, 0.4] as [number, number], right: [0.6, 0.4] as [number, number] },
  mouth: {
    left: [0.42, 0.6] as [number, number],
    middle: [0.5, 0.61] as [number, number],
    right: [0.58, 0.6] as [number, number],
  },
  chin: [0.5, 0.75] as [number, number],
};

test('points are in pixels, with a usual height of the eyes', () => {
  const points = pointsOf(rig, 200, 100);
  expect(points).toMatchObject({
    eyes: [
      [80, 40],
      [120, 40],
    ],
    apart: 40,
    middle: [100, 61],
    chin: [100, 75],
  });
  expect(points.eyeHeight).toBeCloseTo(9.6);
  expect(pointsOf({ ...rig, eyes: { ...rig.eyes, height: 0.5 } }, 200, 100).eyeHeight).toBe(20);
});

test('points in one place are moved apart', () => {
  const place: [number, number] = [0.5, 0.5];
  const points = pointsOf(
    {
      ...rig,
      eyes: { left: place, right: place },
      mouth: { left: place, middle: place, right: place },
      chin: place,
    },
    200,
    100,
  );
  expect(points.apart).toBeGreaterThan(0);
  expect(points.corners[0]).not.toEqual(points.corners[1]);
  expect(points.chin).not.toEqual(points.middle);
});

test.each([
  { ...rig, rig: 1 },
  { ...rig, image: 'full.svg' },
  { ...rig, image: '../full.jpg' },
  { ...rig, chin: [0.5, 1.01] },
  { ...rig, chin: [0.5, Number.NaN] },
  { ...rig, chin: [0.5, Number.POSITIVE_INFINITY] },
  { ...rig, chin: [0.5] },
  { ...rig, eyes: { left: [0.4, 0.4] } },
  { ...rig, eyes: { ...rig.eyes, height: '0.2' } },
  null,
  [],
])('a malformed rig is refused: %j', (malformed) => {
  expect(isPictureRig(malformed)).toBe(false);
  expect(isPictureRig(rig)).toBe(true);
});

test('sampling returns pixels unchanged at whole coordinates, and means between them', () => {
  const [black, white] = [0xff000000 | 0, 0xffffffff | 0];
  const pixels = Int32Array.of(black, white, white, black, 0, 0, 0);
  expect(sample(pixels, 2, 0, 0)).toBe(black);
  expect(sample(pixels, 2, 1, 0)).toBe(white);
  expect(sample(pixels, 2, 0.5, 0) >>> 0).toBe(0xff7f7f7f);
  expect(mix(black, white, 0)).toBe(black);
  expect(mix(black, white, 1)).toBe(white);
});

test('smooth rises from 0 to 1', () => {
  expect([-1, 0, 0.5, 1, 2].map((value) => smooth(0, 1, value))).toEqual([0, 0, 0.5, 1, 1]);
});
