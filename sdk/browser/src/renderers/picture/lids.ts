import { direction, type Point, type Points, smooth } from './points.ts';
import { type Box, clipped, mix, type Raster, sample, shaded } from './raster.ts';

/** Half the width of an eye, in distances between the eyes. */
const halfWidth = 0.27;

interface Lid {
  at: Int32Array;
  /** Pixels below the pupil. */
  below: Float32Array;
  /** The upper and the lower edge of the open eye there, in pixels below the pupil. */
  upper: Float32Array;
  lower: Float32Array;
  /** Where the lid begins, above the eye. */
  fold: number;
  lash: number;
  box: Box;
}

/** Closes the eyes of a picture: the skin above an eye is stretched until it reaches the lower lid. */
export class Lids {
  readonly boxes: readonly Box[];
  readonly #picture: Raster;
  readonly #lids: readonly Lid[];
  readonly #down: Point;
  #drawn = 0;

  constructor(picture: Raster, points: Points) {
    this.#picture = picture;
    const [ax, ay] = direction(...points.eyes);
    // Towards the chin, also in a picture that is upside down.
    const side =
      (points.chin[1] - points.eyes[0][1]) * ax - (points.chin[0] - points.eyes[0][0]) * ay < 0 ? -1 : 1;
    this.#down = [-ay * side, ax * side];
    this.#lids = points.eyes.map((eye) => this.#lidOf(eye, [ax, ay], points));
    this.boxes = this.#lids.map(({ box }) => box);
  }

  /** Writes the pixels into `target`: 0 is open, 1 is closed. Returns false if they are there already. */
  draw(closed: number, target: Raster): boolean {
    if (Math.abs(closed - this.#drawn) < 0.01) return false;
    this.#drawn = closed;
    for (const lid of this.#lids) this.#close(lid, closed, target.pixels);
    return true;
  }

  #close({ at, below, upper, lower, fold, lash }: Lid, closed: number, target: Int32Array): void {
    const { pixels, width, height } = this.#picture;
    const [dx, dy] = this.#down;
    const [right, bottom] = [width - 1.001, height - 1.001];
    for (let n = 0; n < at.length; n++) {
      const i = at[n]!;
      const v = below[n]!;
      const top = upper[n]!;
      const edge = top + closed * (lower[n]! - top);
      if (closed < 0.01 || v > edge + 1.5) {
        target[i] = pixels[i]!;
        continue;
      }
      const from = fold + ((Math.min(v, edge) - fold) * (top - fold)) / (edge - fold) - v;
      const x = (i % width) + from * dx;
      const y = ((i / width) | 0) + from * dy;
      let color = sample(
        pixels,
        width,
        x < 0 ? 0 : x > right ? right : x,
        y < 0 ? 0 : y > bottom ? bottom : y,
      );
      const moved = edge - top;
      if (moved > 0.5) {
        // Lashes, and the curve of the lid.
        const line = smooth(lash, 0, Math.abs(v - edge + 0.4 * lash));
        color = mix(
          shaded(color, 1 - 0.12 * closed * smooth(edge - 3 * lash, edge, v)),
          shaded(color, 0.35),
          0.8 * line * Math.min(1, moved),
        );
        // The edge of the lid over the eye.
        if (v > edge) color = mix(color, pixels[i]!, Math.min(1, v - edge));
      }
      target[i] = color;
    }
  }

  #lidOf([ex, ey]: Point, [ax, ay]: Point, { apart, eyeHeight }: Points): Lid {
    const { width } = this.#picture;
    const half = halfWidth * apart;
    // Rather too high than too low: below its assumed edge, a lid would take a part of the eye along.
    const [high, low] = [eyeHeight * 0.58, eyeHeight * 0.42];
    const fold = -high - 0.1 * apart;
    const reach = Math.hypot(half, -fold + 2);
    const box = clipped(
      { left: ex - reach, top: ey - reach, right: ex + reach, bottom: ey + reach },
      this.#picture,
    );
    const [at, below, upper, lower]: [number[], number[], number[], number[]] = [[], [], [], []];
    const [dx, dy] = this.#down;
    for (let y = box.top; y < box.bottom; y++)
      for (let x = box.left; x < box.right; x++) {
        const u = ((x - ex) * ax + (y - ey) * ay) / half;
        const v = (x - ex) * dx + (y - ey) * dy;
        if (Math.abs(u) >= 1 || v <= fold || v >= low + 2) continue;
        const arch = 1 - u * u;
        at.push(y * width + x);
        below.push(v);
        upper.push(-high * arch * (1.4 - 0.4 * arch));
        lower.push(low * arch);
      }
    return {
      at: Int32Array.from(at),
      below: Float32Array.from(below),
      upper: Float32Array.from(upper),
      lower: Float32Array.from(lower),
      fold,
      lash: Math.max(0.8, apart * 0.014),
      box,
    };
  }
}
