import { approach } from './easing.ts';

/** The shape of a mouth. All values are from 0 to 1. */
export type Pose = [open: number, wide: number, round: number, teeth: number, tongue: number, press: number];

const poses: Record<string, Pose> = {
  sil: [0, 0, 0, 0, 0, 0],
  PP: [0, 0, 0.1, 0, 0, 1],
  FF: [0.14, 0.1, 0, 1, 0, 0.4],
  TH: [0.24, 0.2, 0, 0.8, 0.9, 0],
  DD: [0.3, 0.2, 0, 0.7, 0.6, 0],
  kk: [0.36, 0.15, 0, 0.4, 0.2, 0],
  CH: [0.28, 0, 0.55, 0.9, 0, 0],
  SS: [0.16, 0.55, 0, 1, 0, 0],
  nn: [0.24, 0.2, 0, 0.6, 0.7, 0],
  RR: [0.3, 0, 0.45, 0.3, 0.3, 0],
  aa: [0.95, 0.2, 0, 0.5, 0.45, 0],
  E: [0.58, 0.6, 0, 0.6, 0.4, 0],
  I: [0.36, 0.9, 0, 0.8, 0.3, 0],
  O: [0.72, 0, 0.75, 0.15, 0.3, 0],
  U: [0.36, 0, 1, 0, 0.1, 0],
};

/** Half-open mouth for visemes that are not in the table. */
const unknown: Pose = [0.35, 0.1, 0, 0.3, 0.2, 0];

export function poseOf(viseme: string): Pose {
  return Object.hasOwn(poses, viseme) ? poses[viseme]! : unknown;
}

/** The viseme at a time in milliseconds: the last one that has started, or `sil` before the first. */
export function visemeAt(cues: readonly (readonly [ms: number, viseme: string])[], ms: number): string {
  let low = 0;
  let high = cues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cues[middle]![0] <= ms) low = middle + 1;
    else high = middle;
  }
  return cues[low - 1]?.[1] ?? 'sil';
}

/** Moves a pose exponentially towards a target, with a time constant of 28 ms: 83 % of the way within 50 ms. */
export function ease(pose: Pose, target: Pose, seconds: number): Pose {
  return pose.map((value, i) => approach(value, target[i]!, seconds, 0.028)) as Pose;
}
