import type { PictureRig } from '../../contract.ts';
import { type Check, fits, matching, optional, type Shape, within } from '../../core/shape.ts';

export type Point = readonly [x: number, y: number];

/** The parts of a face in pixels of the canvas. */
export interface Points {
  eyes: readonly [left: Point, right: Point];
  /** Distance between the eyes. */
  apart: number;
  /** Height of an open eye. */
  eyeHeight: number;
  corners: readonly [left: Point, right: Point];
  middle: Point;
  chin: Point;
}

const fraction = within(0, 1);
const point: Check = (value) => fits(value, [fraction]) && value.length === 2;

const shape: Shape = {
  rig: (value) => value === 2,
  image: matching(/^[\w-]+\.(?:png|jpg|webp)$/),
  eyes: { left: point, right: point, height: optional(fraction) },
  mouth: { left: point, middle: point, right: point },
  chin: point,
};

export const isPictureRig = (rig: unknown): rig is PictureRig => fits(rig, shape);

/** Height of an open eye as a fraction of the distance between the eyes, if the rig does not have it. */
export const usualEyeHeight = 0.24;

/** The points in pixels. Points that are in one place are moved apart, so that nothing is divided by zero. */
export function pointsOf({ eyes, mouth, chin }: PictureRig, width: number, height: number): Points {
  const at = ([x, y]: Point): Point => [x * width, y * height];
  const least = Math.max(width, height) / 100;
  const [left, right] = separated(at(eyes.left), at(eyes.right), [least, 0]);
  const apart = distance(left, right);
  const middle = at(mouth.middle);
  return {
    eyes: [left, right],
    apart,
    eyeHeight: apart * Math.min(0.6, Math.max(0.05, eyes.height ?? usualEyeHeight)),
    corners: separated(at(mouth.left), at(mouth.right), [least, 0]),
    middle,
    chin: separated(middle, at(chin), [0, least])[1],
  };
}

function separated(a: Point, b: Point, by: Point): [Point, Point] {
  return distance(a, b) < 1 ? [a, [a[0] + by[0], a[1] + by[1]]] : [a, b];
}

export const distance = (a: Point, b: Point) => Math.hypot(b[0] - a[0], b[1] - a[1]);

export const between = (a: Point, b: Point, share = 0.5): Point => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
];

/** The direction from `a` to `b`, with the length 1. */
export function direction(a: Point, b: Point): Point {
  const length = distance(a, b);
  return [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
}

/** 0 below `from`, 1 above `to`, and smooth between them. */
export function smooth(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return t * t * (3 - 2 * t);
}
