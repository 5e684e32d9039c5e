// Entry of the chunk that is loaded for faces with a rig of version 2.
import type { PictureRig } from '../../contract.ts';
import { make } from '../../dom.ts';
import type { Mode, SpeechCue } from '../../types.ts';
import { approach } from '../motion/easing.ts';
import { EyeMovement } from '../motion/eye-movement.ts';
import type { FaceFigure } from '../motion/face-figure.ts';
import { Speech } from '../motion/speech.ts';
import type { Pose } from '../motion/visemes.ts';
import { Lids } from './lids.ts';
import { PictureMouth } from './mouth.ts';
import { isPictureRig, pointsOf } from './points.ts';
import { type Box, copyOf, makeRaster, type Raster } from './raster.ts';
import { Head, type Sway } from './sway.ts';

/** Maximum length of the longer side of the canvas, and of the distance between the eyes, in pixels. */
const longest = 1080;
const furthest = 110;
/** Pixels by which the head moves at most. Boxes that change are drawn with this margin. */
const margin = 8;

/** A picture of a face, moved on a canvas. */
export class PictureFace {
  readonly #context: CanvasRenderingContext2D;
  readonly #picture: Raster;
  /** The picture with the mouth and the eyelids of this frame. */
  readonly #face: Raster;
  readonly #mouth: PictureMouth;
  readonly #lids: Lids;
  readonly #head: Head;
  readonly #apart: number;

  /** The picture is scaled down once to the size of the canvas. */
  constructor(canvas: HTMLCanvasElement, picture: ImageBitmap | HTMLCanvasElement, rig: PictureRig) {
    const { eyes } = rig;
    const { width, height } = picture;
    const apart = Math.hypot((eyes.left[0] - eyes.right[0]) * width, (eyes.left[1] - eyes.right[1]) * height);
    const scale = Math.min(1, longest / Math.max(width, height), furthest / Math.max(1, apart));
    canvas.width = Math.max(2, Math.round(width * scale));
    canvas.height = Math.max(2, Math.round(height * scale));
    this.#context = canvas.getContext('2d', { willReadFrequently: true })!;
    this.#context.imageSmoothingQuality = 'high';
    this.#context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    this.#picture = makeRaster(this.#context.getImageData(0, 0, canvas.width, canvas.height));
    this.#face = copyOf(this.#picture);
    const points = pointsOf(rig, canvas.width, canvas.height);
    this.#apart = points.apart;
    this.#mouth = new PictureMouth(this.#picture, points);
    this.#lids = new Lids(this.#picture, points);
    this.#head = new Head(this.#face, points);
  }

  /** Draws a frame: a pose of the mouth, eyes from open (0) to closed (1), and the head moved by fractions of the distance of the eyes. */
  draw(pose: Pose, closed: number, { x, y, angle }: Sway, isWhole = false): void {
    const changed: Box[] = [];
    if (this.#mouth.draw(pose, this.#face)) changed.push(grown(this.#mouth.box));
    if (this.#lids.draw(closed, this.#face)) changed.push(...this.#lids.boxes.map(grown));
    const most = margin - 2;
    const sway = { x: held(x * this.#apart, most), y: held(y * this.#apart, most), angle };
    if (isWhole) this.#head.drawAll(this.#context, this.#face, sway);
    else this.#head.draw(this.#context, this.#face, changed, sway);
  }
}

const held = (value: number, most: number) => Math.max(-most, Math.min(most, value));
const grown = ({ left, top, right, bottom }: Box): Box => ({
  left: left - margin,
  top: top - margin,
  right: right + margin,
  bottom: bottom + margin,
});

const atRest: Sway = { x: 0, y: 0, angle: 0 };

/** A character with a picture. */
export class PictureFigure implements FaceFigure {
  readonly #speech = new Speech();
  readonly #eyes = new EyeMovement(performance.now() / 1000);
  readonly #face: PictureFace;
  readonly #canvas: HTMLCanvasElement;
  #liveliness = 0.25;
  #wasStill = true;

  constructor(canvas: HTMLCanvasElement, face: PictureFace) {
    this.#canvas = canvas;
    this.#face = face;
  }

  hear(cue: SpeechCue): void {
    this.#speech.hear(cue);
  }

  draw(now: number, elapsed: number, mode: Mode | undefined, isStill: boolean): void {
    this.#canvas.dataset.viseme = this.#speech.advance(elapsed);
    this.#liveliness = approach(this.#liveliness, this.#speech.isTalking ? 1 : 0.25, elapsed, 0.25);
    const { pose } = this.#speech;
    if (isStill) this.#face.draw(pose, 0, atRest, !this.#wasStill);
    else this.#face.draw(pose, this.#eyes.blink(now), swayAt(now, this.#liveliness, mode));
    this.#wasStill = isStill;
  }
}

/** Where the head is at a time in seconds. It moves more while the character talks. */
export function swayAt(now: number, liveliness: number, mode: Mode | undefined): Sway {
  const wander = Math.sin(now * 0.9) * 0.5 + Math.sin(now * 2.3 + 1) * 0.35 * liveliness;
  const side = wander * (0.4 + 0.6 * liveliness) + (mode === 'thinking' ? 0.3 : 0);
  const nod = Math.sin(now * 3.1) * Math.max(0, liveliness - 0.25) + Math.sin(now * 1.4) * 0.5;
  return { x: 0.03 * side, y: 0.011 * nod, angle: 0.009 * side };
}

/** Fetches a picture and shows it in `place`. Throws if the rig is malformed or the picture cannot be loaded. */
export async function openPicture(
  place: HTMLElement,
  rig: unknown,
  folder: string,
  fit: string,
  signal: AbortSignal,
): Promise<FaceFigure> {
  if (!isPictureRig(rig)) throw new Error('the rig is malformed');
  // Loaded by fetch with CORS, so that the canvas stays readable on pages of other origins. The service scales large pictures.
  const response = await fetch(`${folder}/${rig.image}?w=1280`, { credentials: 'omit', signal });
  if (!response.ok) throw new Error(`no picture at ${response.url}`);
  const bitmap = await createImageBitmap(await response.blob());
  const canvas = make('canvas', { 'aria-hidden': 'true' });
  Object.assign(canvas.style, {
    width: '100%',
    height: '100%',
    objectFit: fit,
    objectPosition: fit === 'cover' ? '50% 20%' : '50% 100%',
  });
  const figure = new PictureFigure(canvas, new PictureFace(canvas, bitmap, rig));
  bitmap.close();
  place.append(canvas);
  return figure;
}
