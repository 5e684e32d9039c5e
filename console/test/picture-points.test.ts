import { expect, test } from 'vitest';
import { firstGuess, usualHandles } from '../src/faces/picture/first-guess.ts';
import { handlesOf, moved, placed, problemOf, rigOf } from '../src/faces/picture/handles.ts';
import { typeOf } from '../src/faces/picture/picture-file.ts';
import { silentSample } from '../src/faces/picture/silent-sample.ts';
import { closeView, squareOf } from '../src/faces/picture/view.ts';

const handles = usualHandles(400, 300);

test('handles become a rig and are read from it again', () => {
  const rig = rigOf(handles, 'full.png');
  expect(rig).toMatchObject({ rig: 2, image: 'full.png', eyes: { height: 0.24 } });
  expect(rigOf(handlesOf(rig), 'full.png')).toEqual(rig);
  const { height: _height, ...eyes } = rig.eyes;
  expect(handlesOf({ ...rig, eyes }).eyeHeight).toBe(0.24);
});

test('handles stay inside the picture', () => {
  expect(moved(handles, 'chin', [0, 9]).chin[1]).toBe(1);
  expect(placed(handles, 'leftEye', [-1, 0.5]).leftEye).toEqual([0, 0.5]);
});

test.each([
  ['eyes', placed(handles, 'rightEye', handles.leftEye)],
  ['mouth', placed(handles, 'rightCorner', handles.leftCorner)],
  ['chin', placed(handles, 'chin', handles.middle)],
])('handles in one place are a problem: %s', (problem, changed) => {
  expect(problemOf(changed)).toBe(problem);
  expect(problemOf(handles)).toBeUndefined();
});

test('the close view is inside the picture and contains all handles', () => {
  for (const size of [
    { width: 400, height: 300 },
    { width: 90, height: 900 },
  ]) {
    const near = placed(usualHandles(size.width, size.height), 'chin', [0.95, 0.99]);
    const view = closeView(near, size);
    expect(view.left).toBeGreaterThanOrEqual(0);
    expect(view.top + view.height).toBeLessThanOrEqual(1.000001);
    expect(squareOf(near, size).side).toBeGreaterThan(0);
    for (const [x, y] of [near.leftEye, near.rightEye, near.middle, near.chin]) {
      expect(x).toBeGreaterThanOrEqual(view.left);
      expect(y).toBeLessThanOrEqual(view.top + view.height + 1e-6);
    }
  }
});

/** A picture of boxes in colours: [colour, left, top, right, bottom]. */
function painted(width: number, height: number, boxes: [number[], number, number, number, number][]) {
  const data = new Uint8ClampedArray(width * height * 4);
  for (const [[r, g, b], left, top, right, bottom] of boxes)
    for (let y = top; y < bottom; y++)
      for (let x = left; x < right; x++) data.set([r!, g!, b!, 255], (y * width + x) * 4);
  return { width, height, data };
}

const skin = [224, 172, 140];
const face: Parameters<typeof painted>[2] = [
  [[90, 120, 140], 0, 0, 150, 150],
  [skin, 40, 20, 112, 120],
  [[60, 40, 30], 52, 44, 66, 47],
  [[60, 40, 30], 86, 44, 100, 47],
  [[245, 245, 240], 53, 54, 65, 59],
  [[245, 245, 240], 87, 54, 99, 59],
  [[30, 20, 15], 57, 53, 62, 60],
  [[30, 20, 15], 91, 53, 96, 60],
  [[150, 60, 60], 62, 90, 90, 94],
];

test('the first guess finds two eyes and a mouth on skin', () => {
  const { handles: found, isFound } = firstGuess(painted(150, 150, face));
  expect(isFound).toBe(true);
  const [left, right, middle] = [found.leftEye, found.rightEye, found.middle].map(([x, y]) => [
    x * 150,
    y * 150,
  ]);
  expect(Math.hypot(left![0]! - 59, left![1]! - 56)).toBeLessThan(7);
  expect(Math.hypot(right![0]! - 93, right![1]! - 56)).toBeLessThan(7);
  expect(Math.hypot(middle![0]! - 76, middle![1]! - 92)).toBeLessThan(12);
});

test.each([
  ['one colour', painted(150, 100, [[[90, 120, 140], 0, 0, 150, 100]])],
  ['skin alone', painted(100, 150, [[skin, 0, 0, 100, 150]])],
  [
    'a face in blue',
    painted(
      150,
      150,
      face.map(([[r, g, b], ...box]) => [[b! / 2, g! / 2, r!], ...box]),
    ),
  ],
  ['a tiny picture', painted(3, 2, [[skin, 0, 0, 3, 2]])],
])('without a face the guess has usual proportions: %s', (_, pixels) => {
  const { handles: found, isFound } = firstGuess(pixels);
  expect(isFound).toBe(false);
  expect(problemOf(found)).toBeUndefined();
});

test('the type of a file is read from its content', () => {
  expect(typeOf(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0))).toBe('image/png');
  expect(typeOf(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0))).toBe('image/jpeg');
  expect(typeOf(new TextEncoder().encode('RIFF....WEBPVP8 '))).toBe('image/webp');
  expect(typeOf(new TextEncoder().encode('RIFF....WAVEfmt '))).toBeUndefined();
  expect(typeOf(new TextEncoder().encode('GIF89a'))).toBeUndefined();
  expect(typeOf(new Uint8Array())).toBeUndefined();
});

test('the silent sample of the preview ends when it is stopped, so that the mouth follows the sound', () => {
  const { cue, stop } = silentSample();
  expect(cue.clock()).toBeGreaterThanOrEqual(0);
  stop();
  expect(cue.clock()).toBeNaN();
});
