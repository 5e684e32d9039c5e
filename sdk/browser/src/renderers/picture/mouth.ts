import { type Pose, poseOf } from '../motion/visemes.ts';
import { direction, distance, type Point, type Points, smooth } from './points.ts';
import { type Box, brightness, clipped, mix, type Raster, rgb, sample, shaded } from './raster.ts';

/** How far below the chin the neck gives way, in distances from the mouth to the chin. */
const neck = 0.6;
/** How far above the lips the upper lip takes skin along, in the same unit. */
const philtrum = 0.5;
/** Less than this difference of poses cannot be seen. */
const visible = 0.004;

interface Parts {
  /** Where the pixels are. */
  x: Int16Array;
  y: Int16Array;
  /** Position along the mouth: -1 and 1 are the corners. */
  along: Float32Array;
  /** Position below the line between the lips: 1 is the chin. */
  below: Float32Array;
  /** How far a pixel follows the jaw, and the corners, from 0 to 1. */
  jaw: Float32Array;
  corners: Float32Array;
}

/**
 * Opens the mouth of a picture. Positions are in the coordinates of the mouth, and each pixel looks up where it comes from: below the
 * lips from further above, above them from further below. What comes from nowhere is the inside of the mouth.
 */
export class PictureMouth {
  /** The pixels that can change. */
  readonly box: Box;
  readonly #picture: Raster;
  readonly #parts: Parts;
  /** From a corner to the middle of the mouth, and from there to the chin, in pixels. */
  readonly #half: number;
  readonly #drop: number;
  readonly #across: Point;
  readonly #down: Point;
  /** Distance between the wide open lips, in distances from the mouth to the chin. */
  readonly #widest: number;
  readonly #colors: { cavity: number; teeth: number; tongue: number };
  #drawn: Pose | undefined;

  constructor(picture: Raster, points: Points) {
    this.#picture = picture;
    const { corners, middle, chin, apart } = points;
    this.#half = distance(...corners) / 2;
    this.#drop = distance(middle, chin);
    this.#across = direction(...corners);
    const down = direction(middle, chin);
    // A chin that lies beside the mouth gives no direction.
    const [x, y] = this.#across;
    const slope = x * down[1] - y * down[0];
    this.#down = Math.abs(slope) > 0.4 ? down : [-y * Math.sign(slope || 1), x * Math.sign(slope || 1)];
    this.#widest = Math.min(0.42 * this.#drop, 0.85 * this.#half) / this.#drop;
    const reach = Math.max(1.5, (0.95 * apart) / this.#half);
    this.box = this.#boxOf(middle, reach);
    this.#parts = this.#partsOf(points, reach);
    this.#colors = this.#colorsOf(middle);
  }

  /** Writes the pixels into `target`. Returns false if they are there already. */
  draw(eased: Pose, target: Raster): boolean {
    // Easing never quite arrives. A mouth at rest shows the picture itself.
    const pose = eased.every((value) => value < 2 * visible) ? poseOf('sil') : eased;
    const drawn = this.#drawn;
    const isSame = drawn?.every((value, i) => Math.abs(value - pose[i]!) < (pose[i] === 0 ? 1e-9 : visible));
    if (isSame) return false;
    this.#drawn = pose;
    const [open, wide, round, teeth, tongue, press] = pose;
    const { x: xs, y: ys, along, below, jaw, corners } = this.#parts;
    const { pixels, width, height } = this.#picture;
    const drawing = target.pixels;
    const [half, drop] = [this.#half, this.#drop];
    const opening = this.#widest * open * (1 + 0.1 * round);
    const thinner = 0.05 * press;
    const stretch = 0.1 * wide - 0.3 * round - 0.04 * press;
    const [ax, ay] = [this.#across[0] * half, this.#across[1] * half];
    const [dx, dy] = [this.#down[0] * drop, this.#down[1] * drop];
    const [right, bottom] = [width - 1.001, height - 1.001];
    const inside = this.#inside(teeth, tongue, round);
    for (let n = 0; n < xs.length; n++) {
      const u = along[n]!;
      const s = below[n]!;
      const fromU = u / (1 + stretch * corners[n]!);
      const arch = Math.max(0, 1 - fromU * fromU);
      const lens = arch * (1 + (0.25 + 0.35 * round) * (1 - arch));
      const lip = ((0.8 - 0.1 * round) * opening - thinner) * lens;
      const rise = ((0.2 + 0.1 * round) * opening - thinner) * lens;
      let fromS: number;
      if (s > (lip - rise) / 2) {
        const chin = 0.6 * opening * jaw[n]!;
        if (s < 1 + chin) fromS = Math.max(0, (s - lip) / (1 + chin - lip));
        else fromS = s < 1 + neck ? 1 + ((s - 1 - chin) / (neck - chin)) * neck : s;
      } else
        fromS = s > -philtrum ? Math.min(0, ((s + philtrum) * philtrum) / (philtrum - rise) - philtrum) : s;
      const backU = fromU - u;
      const backS = fromS - s;
      const x = xs[n]! + backU * ax + backS * dx;
      const y = ys[n]! + backU * ay + backS * dy;
      let color = sample(
        pixels,
        width,
        x < 0 ? 0 : x > right ? right : x,
        y < 0 ? 0 : y > bottom ? bottom : y,
      );
      // Distances from the lips in pixels; both are positive inside the mouth.
      const upper = (s + rise) * drop;
      const lower = (lip - s) * drop;
      if (upper > -0.5 && lower > -0.5 && upper + lower > 0)
        color = mix(
          color,
          inside(fromU, upper, lower),
          Math.min(1, upper + lower, Math.min(upper, lower) + 0.5),
        );
      drawing[ys[n]! * width + xs[n]!] = color;
    }
    return true;
  }

  /** The colour of the inside at a position along the mouth, and distances from the lips. */
  #inside(teeth: number, tongue: number, round: number) {
    const half = this.#half;
    const { cavity, teeth: white, tongue: red } = this.#colors;
    const height = half * (0.16 + 0.16 * teeth);
    const shown = Math.min(1, teeth * 2.2) * (1 - 0.6 * round);
    return (u: number, upper: number, lower: number): number => {
      const total = upper + lower;
      const u2 = u * u;
      // The middle of the mouth is the deepest.
      let color = shaded(
        cavity,
        0.55 + 0.6 * (lower < upper ? 1 - lower / total : upper / total) * u2 + 0.5 * u2,
      );
      const rise = total * (0.3 + 0.3 * tongue) * (1 - u2 * 1.6);
      if (lower < rise + 1) {
        const soft = smooth(-1, half * 0.12, rise - lower) * (0.75 + 0.25 * tongue);
        color = mix(color, shaded(red, 0.62 + 0.38 * smooth(0, rise + 1, lower)), soft);
      }
      const edge = Math.min(height * (1 - 0.45 * u2), total);
      if (shown > 0 && upper < edge + 1) {
        const gap = Math.abs(((Math.abs(u) * 3.4 + 0.02) % 1) - 0.5) > 0.47 ? 0.9 : 1;
        const shade = (0.6 + 0.4 * smooth(0, half * 0.14, upper)) * (1 - 0.5 * u2) * gap;
        color = mix(color, shaded(white, shade), shown * smooth(-1, 1, edge - upper));
      }
      // The shadow of the lips.
      return shaded(color, 0.55 + 0.45 * smooth(-0.5, half * 0.1, Math.min(upper * 0.8, lower)));
    };
  }

  #boxOf(middle: Point, reach: number): Box {
    const [a, d] = [reach * this.#half, this.#drop];
    const [ax, ay] = this.#across;
    const [dx, dy] = this.#down;
    const xs: number[] = [];
    const ys: number[] = [];
    for (const along of [-a, a])
      for (const down of [-philtrum * d * 1.3, (1 + neck) * d * 1.1]) {
        xs.push(middle[0] + ax * along + dx * down);
        ys.push(middle[1] + ay * along + dy * down);
      }
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    return clipped({ left, top, right, bottom }, this.#picture);
  }

  #partsOf({ corners, middle }: Points, reach: number): Parts {
    const { left, top, right, bottom } = this.box;
    const size = (right - left) * (bottom - top);
    const parts: Parts = {
      x: new Int16Array(size),
      y: new Int16Array(size),
      along: new Float32Array(size),
      below: new Float32Array(size),
      jaw: new Float32Array(size),
      corners: new Float32Array(size),
    };
    const [first, last] = corners.map((corner) => this.#positionOf(corner, middle)) as [Point, Point];
    // A parabola through the corners and the middle of the mouth, level beyond the corners.
    const bend = (first[1] + last[1]) / 2;
    const tilt = (last[1] - first[1]) / 2;
    let n = 0;
    for (let y = top; y < bottom; y++)
      for (let x = left; x < right; x++) {
        const [u, v] = this.#positionOf([x, y], middle);
        const held = Math.max(-1, Math.min(1, u));
        const s = v - bend * held * held - tilt * held;
        if (Math.abs(u) >= reach || s <= -philtrum * 1.3 || s >= 1 + neck) continue;
        parts.x[n] = x;
        parts.y[n] = y;
        parts.along[n] = u;
        parts.below[n] = s;
        parts.jaw[n] = 1 - smooth(0.4, 1, Math.abs(u) / reach);
        parts.corners[n] =
          (1 - smooth(0.8, 1.7, Math.abs(u))) * (1 - smooth(0.1, 0.65, s)) * smooth(-1.3 * philtrum, -0.1, s);
        n++;
      }
    return {
      x: parts.x.slice(0, n),
      y: parts.y.slice(0, n),
      along: parts.along.slice(0, n),
      below: parts.below.slice(0, n),
      jaw: parts.jaw.slice(0, n),
      corners: parts.corners.slice(0, n),
    };
  }

  /** The coordinates of the mouth: along it, and towards the chin. */
  #positionOf([x, y]: Point, [mx, my]: Point): Point {
    const [ax, ay] = this.#across;
    const [dx, dy] = this.#down;
    const determinant = ax * dy - ay * dx;
    const along = ((x - mx) * dy - (y - my) * dx) / determinant;
    const down = ((y - my) * ax - (x - mx) * ay) / determinant;
    return [along / this.#half, down / this.#drop];
  }

  /** Teeth and tongue are as bright as the light of the picture lets them be. */
  #colorsOf([x, y]: Point) {
    const { pixels, width, height } = this.#picture;
    const around: number[] = [];
    const radius = 2 * this.#drop;
    for (let n = 0; n < 400; n++) {
      const angle = n * 2.4;
      const r = radius * Math.sqrt(n / 400);
      const px = Math.round(x + r * Math.cos(angle));
      const py = Math.round(y - this.#drop + r * Math.sin(angle));
      if (px >= 0 && py >= 0 && px < width && py < height) around.push(brightness(pixels[py * width + px]!));
    }
    around.sort((a, b) => a - b);
    const light = Math.max(0.35, Math.min(1, (around[Math.floor(around.length * 0.95)] ?? 255) / 225));
    return {
      cavity: shaded(rgb(74, 24, 24), light),
      teeth: shaded(rgb(240, 231, 217), light),
      tongue: shaded(rgb(190, 88, 84), light),
    };
  }
}
