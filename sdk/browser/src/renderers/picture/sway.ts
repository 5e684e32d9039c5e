import { between, distance, type Points, smooth } from './points.ts';
import { type Box, clipped, type Raster, sample } from './raster.ts';

/** Pixels of the head that are moved in each frame. Together with the mouth this stays below 4 ms on a slow machine. */
const pixelsPerFrame = 24_000;

/** How far the head is moved, in pixels, and rotated about the chin, in radians. */
export interface Sway {
  x: number;
  y: number;
  angle: number;
}

/** Moves the head of a picture. Towards the surroundings, which stay, the movement fades out. */
export class Head {
  readonly box: Box;
  /** How far each pixel in the box follows, from 0 to 1. */
  readonly #weights: Float32Array;
  readonly #pivot: readonly [number, number];
  readonly #image: ImageData;
  readonly #pixels: Int32Array;
  /** The row to move next. */
  #next: number;

  constructor(face: Raster, { eyes, chin, apart }: Points) {
    const eye = between(...eyes);
    const long = distance(eye, chin);
    const [cx, cy] = between(eye, chin, 0.1);
    const [dx, dy] = [(chin[0] - eye[0]) / (long || 1), (chin[1] - eye[1]) / (long || 1)];
    const [wide, high] = [1.35 * apart, 1.15 * Math.max(long, apart)];
    const reach = 1.6 * Math.max(wide, high);
    this.box = clipped({ left: cx - reach, top: cy - reach, right: cx + reach, bottom: cy + reach }, face);
    const { left, top, right, bottom } = this.box;
    const [width, height] = [right - left, bottom - top];
    const margin = 0.12 * Math.min(face.width, face.height);
    this.#weights = new Float32Array(width * height);
    let n = 0;
    for (let y = top; y < bottom; y++)
      for (let x = left; x < right; x++) {
        const across = ((x - cx) * dy - (y - cy) * dx) / wide;
        const down = ((x - cx) * dx + (y - cy) * dy) / high;
        const border = Math.min(x, y, face.width - 1 - x, face.height - 1 - y);
        this.#weights[n++] = (1 - smooth(0.95, 1.6, Math.hypot(across, down))) * smooth(0, margin, border);
      }
    this.#pivot = chin;
    this.#image = new ImageData(Math.max(1, width), Math.max(1, height));
    this.#pixels = new Int32Array(this.#image.data.buffer);
    this.#next = top;
    this.#move(face, this.box, { x: 0, y: 0, angle: 0 });
  }

  /** Draws what has changed in these boxes, and the next part of the head. */
  draw(context: CanvasRenderingContext2D, face: Raster, changed: readonly Box[], sway: Sway): void {
    for (const box of changed) this.#show(context, face, box, sway);
    const { left, right, top, bottom } = this.box;
    const rows = Math.ceil(pixelsPerFrame / Math.max(1, right - left));
    const end = Math.min(bottom, this.#next + rows);
    this.#show(context, face, { left, right, top: this.#next, bottom: end }, sway);
    this.#next = end === bottom ? top : end;
  }

  /** Draws the whole head. */
  drawAll(context: CanvasRenderingContext2D, face: Raster, sway: Sway): void {
    this.#show(context, face, this.box, sway);
  }

  #show(context: CanvasRenderingContext2D, face: Raster, box: Box, sway: Sway): void {
    const own = this.box;
    const left = Math.max(own.left, box.left);
    const top = Math.max(own.top, box.top);
    const right = Math.min(own.right, box.right);
    const bottom = Math.min(own.bottom, box.bottom);
    if (left >= right || top >= bottom) return;
    this.#move(face, { left, top, right, bottom }, sway);
    context.putImageData(
      this.#image,
      own.left,
      own.top,
      left - own.left,
      top - own.top,
      right - left,
      bottom - top,
    );
  }

  #move({ pixels, width }: Raster, { left, top, right, bottom }: Box, { x: tx, y: ty, angle }: Sway): void {
    const own = this.box;
    const [px, py] = this.#pivot;
    for (let y = top; y < bottom; y++) {
      let n = (y - own.top) * (own.right - own.left) + left - own.left;
      const across = tx - angle * (y - py);
      for (let x = left; x < right; x++, n++) {
        const w = this.#weights[n]!;
        this.#pixels[n] = sample(pixels, width, x - w * across, y - w * (ty + angle * (x - px)));
      }
    }
  }
}
