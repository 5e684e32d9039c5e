import type { Handles, Place } from './handles.ts';

/** A part of a picture, as fractions of its width and height. */
export interface View {
  left: number;
  top: number;
  width: number;
  height: number;
}

export const wholePicture: View = { left: 0, top: 0, width: 1, height: 1 };

interface Size {
  width: number;
  height: number;
}

/** The middle of a face and the side of a square around the head, in pixels. */
export function squareOf(
  { leftEye, rightEye, chin }: Handles,
  { width, height }: Size,
): { centre: Place; side: number } {
  const [x, y] = [((leftEye[0] + rightEye[0]) / 2) * width, ((leftEye[1] + rightEye[1]) / 2) * height];
  const [chinX, chinY] = [chin[0] * width, chin[1] * height];
  const apart = Math.hypot((rightEye[0] - leftEye[0]) * width, (rightEye[1] - leftEye[1]) * height);
  const side = Math.max(3.6 * apart, 2.3 * Math.hypot(chinX - x, chinY - y));
  return { centre: [x + (chinX - x) * 0.3, y + (chinY - y) * 0.3], side };
}

/** The part of a picture around a face. */
export function closeView(handles: Handles, size: Size): View {
  const { centre, side } = squareOf(handles, size);
  const width = Math.min(1, side / size.width);
  const height = Math.min(1, side / size.height);
  return {
    left: Math.min(1 - width, Math.max(0, centre[0] / size.width - width / 2)),
    top: Math.min(1 - height, Math.max(0, centre[1] / size.height - height / 2)),
    width,
    height,
  };
}
