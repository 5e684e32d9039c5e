import type { PictureRig } from '@session-launch/contract/rig';

/** A point of a picture, as fractions of its width and height. */
export type Place = [x: number, y: number];

export const handleIds = ['leftEye', 'rightEye', 'leftCorner', 'middle', 'rightCorner', 'chin'] as const;
export type HandleId = (typeof handleIds)[number];

/** Where the parts of a face are. */
export type Handles = Record<HandleId, Place> & {
  /** Height of an open eye, as a fraction of the distance between the eyes. */
  eyeHeight: number;
};

export const usualEyeHeight = 0.24;

export function handlesOf({ eyes, mouth, chin }: PictureRig): Handles {
  return {
    leftEye: eyes.left,
    rightEye: eyes.right,
    leftCorner: mouth.left,
    middle: mouth.middle,
    rightCorner: mouth.right,
    chin,
    eyeHeight: eyes.height ?? usualEyeHeight,
  };
}

/** The rig of a picture with this file name. */
export function rigOf(handles: Handles, image: string): PictureRig {
  const { leftEye, rightEye, leftCorner, middle, rightCorner, chin, eyeHeight } = handles;
  return {
    rig: 2,
    image,
    eyes: { left: rounded(leftEye), right: rounded(rightEye), height: round(eyeHeight) },
    mouth: { left: rounded(leftCorner), middle: rounded(middle), right: rounded(rightCorner) },
    chin: rounded(chin),
  };
}

/** Moves a handle by fractions of the picture. It stays inside. */
export function moved(handles: Handles, id: HandleId, [dx, dy]: Place): Handles {
  const [x, y] = handles[id];
  return placed(handles, id, [x + dx, y + dy]);
}

export function placed(handles: Handles, id: HandleId, [x, y]: Place): Handles {
  return { ...handles, [id]: [within(x), within(y)] };
}

type Problem = 'eyes' | 'mouth' | 'chin';

/** Least distance of two handles, as a fraction of the picture. The service refuses less. */
const least = 0.012;

/** The handles that are too close together for a face. */
export function problemOf({
  leftEye,
  rightEye,
  leftCorner,
  rightCorner,
  middle,
  chin,
}: Handles): Problem | undefined {
  if (distance(leftEye, rightEye) < least) return 'eyes';
  if (distance(leftCorner, rightCorner) < least) return 'mouth';
  return distance(middle, chin) < least ? 'chin' : undefined;
}

const distance = (a: Place, b: Place) => Math.hypot(a[0] - b[0], a[1] - b[1]);
const within = (value: number) => Math.min(1, Math.max(0, value));
const round = (value: number) => Math.round(value * 10_000) / 10_000;
const rounded = ([x, y]: Place): Place => [round(x), round(y)];
