interface Pixels {
  width: number;
  height: number;
  /** RGBA. */
  data: Uint8ClampedArray;
}

/** Positions of the corners of a box in the tables, and the number of its pixels. */
interface Box {
  a: number;
  b: number;
  c: number;
  d: number;
  count: number;
}

/** Sums over a picture, from which the means over any box are found in constant time. */
export class Tables {
  readonly width: number;
  readonly height: number;
  readonly #light: Float64Array;
  readonly #squares: Float64Array;
  readonly #colors: readonly [red: Float64Array, green: Float64Array, all: Float64Array];

  constructor({ width, height, data }: Pixels) {
    this.width = width;
    this.height = height;
    const table = (channel: (r: number, g: number, b: number) => number) => {
      const row = width + 1;
      const sums = new Float64Array(row * (height + 1));
      for (let y = 0; y < height; y++) {
        let sum = 0;
        for (let x = 0; x < width; x++) {
          const i = (y * width + x) * 4;
          sum += channel(data[i]!, data[i + 1]!, data[i + 2]!);
          sums[(y + 1) * row + x + 1] = sums[y * row + x + 1]! + sum;
        }
      }
      return sums;
    };
    const light = (r: number, g: number, b: number) => 0.3 * r + 0.59 * g + 0.11 * b;
    this.#light = table(light);
    this.#squares = table((r, g, b) => light(r, g, b) ** 2);
    this.#colors = [table((r) => r), table((_, g) => g), table((r, g, b) => r + g + b + 1)];
  }

  /** A box around a point. What is outside the picture is left out. */
  box(x: number, y: number, halfWidth: number, halfHeight: number): Box {
    const left = held(Math.round(x - halfWidth), this.width - 1);
    const right = held(Math.round(x + halfWidth), this.width - 1) + 1;
    const top = held(Math.round(y - halfHeight), this.height - 1);
    const bottom = held(Math.round(y + halfHeight), this.height - 1) + 1;
    const row = this.width + 1;
    return {
      a: top * row + left,
      b: top * row + right,
      c: bottom * row + left,
      d: bottom * row + right,
      count: (right - left) * (bottom - top),
    };
  }

  /** Mean brightness, from 0 to 255. */
  light(box: Box): number {
    return sumOf(this.#light, box) / box.count;
  }

  /** Standard deviation of the brightness. */
  deviation(box: Box): number {
    return Math.sqrt(Math.max(0, sumOf(this.#squares, box) / box.count - this.light(box) ** 2));
  }

  /** Shares of red and green in the colour. */
  tone(box: Box): [red: number, green: number] {
    const [red, green, all] = this.#colors;
    const total = sumOf(all, box);
    return [sumOf(red, box) / total, sumOf(green, box) / total];
  }
}

const sumOf = (table: Float64Array, { a, b, c, d }: Box) => table[d]! - table[b]! - table[c]! + table[a]!;
const held = (value: number, most: number) => Math.min(most, Math.max(0, value));
