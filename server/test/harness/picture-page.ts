import { fileURLToPath } from 'node:url';
import type { PictureRig } from '@session-launch/contract/rig';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import type { DrawnPortrait } from './portraits.ts';

const renderers = fileURLToPath(new URL('../../../sdk/browser/src/renderers/', import.meta.url));

/** Code that runs in the page. A face is opened as players do it; positions are in distances between the eyes, from the middle between them. */
const code = `
import { PictureFace, swayAt } from './picture/picture.ts';
import { isPictureRig } from './picture/points.ts';
import { poseOf } from './motion/visemes.ts';

const rest = { x: 0, y: 0, angle: 0 };
const pixelsOf = (canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;

globalThis.openFace = async (url, rig, truth = rig) => {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob());
  const canvas = document.createElement('canvas');
  const face = new PictureFace(canvas, bitmap, rig);
  bitmap.close();
  const { width, height } = canvas;
  const [lx, ly, rx, ry] = [...truth.eyes.left, ...truth.eyes.right].map((share, i) => share * (i % 2 ? height : width));
  const apart = Math.hypot(rx - lx, ry - ly);
  const [cos, sin] = [(rx - lx) / apart, (ry - ly) / apart];
  const placeOf = (x, y) => {
    const [dx, dy] = [(x - (lx + rx) / 2) / apart, (y - (ly + ry) / 2) / apart];
    return [dx * cos + dy * sin, dy * cos - dx * sin];
  };
  const draw = (viseme, closed = 0, sway = rest) => {
    face.draw(poseOf(viseme), closed, sway, true);
    return pixelsOf(canvas);
  };
  /** The pixels that differ between two frames: their number in a box, and the box around all of them. */
  const compare = (a, b, boxes) => {
    const counts = boxes.map(() => 0);
    const around = [9, 9, -9, -9];
    for (let i = 0; i < a.length; i += 4) {
      if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) < 12) continue;
      const [u, v] = placeOf((i / 4) % width, Math.floor(i / 4 / width));
      boxes.forEach(([left, top, right, bottom], n) => { if (u >= left && u <= right && v >= top && v <= bottom) counts[n] += 1 / apart ** 2; });
      around[0] = Math.min(around[0], u); around[1] = Math.min(around[1], v);
      around[2] = Math.max(around[2], u); around[3] = Math.max(around[3], v);
    }
    return { counts, around };
  };
  /** Mean brightness of a box. */
  const brightness = (data, [left, top, right, bottom]) => {
    let [sum, n] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      const [u, v] = placeOf((i / 4) % width, Math.floor(i / 4 / width));
      if (u >= left && u <= right && v >= top && v <= bottom) { sum += data[i] + data[i + 1] + data[i + 2]; n++; }
    }
    return sum / n / 3;
  };
  return { canvas, face, draw, compare, brightness, poseOf, swayAt };
};
globalThis.isPictureRig = isPictureRig;
`;

let bundled: Promise<string> | undefined;

/** Adds `openFace` to a page. */
export async function addPictureCode(page: Page): Promise<void> {
  bundled ??= build({
    stdin: { contents: code, resolveDir: renderers, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'chrome111',
    write: false,
  }).then(({ outputFiles }) => outputFiles[0]!.text);
  await page.evaluate(await bundled);
}

export const dataUrl = ({ type, content }: DrawnPortrait) =>
  `data:image/${type};base64,${content.toString('base64')}`;

export type Box = [left: number, top: number, right: number, bottom: number];

/** What moves in a portrait with this rig. Shares are in squares of the distance between the eyes. */
export interface Movement {
  /** The mouth opens: what changed at the lips and at the chin, and around everything. */
  lips: number;
  chin: number;
  mouthAround: Box;
  /** Brightness between the lips, closed and open. */
  inside: [closed: number, open: number];
  /** The eyes close. */
  lids: number;
  lidsAround: Box;
  /** The head sways. */
  headAround: Box;
  /** Whether a closed mouth and open eyes show the picture again. */
  isRestored: boolean;
}

export function movementOf(
  page: Page,
  portrait: DrawnPortrait,
  rig: PictureRig = portrait.rig,
): Promise<Movement> {
  return page.evaluate<Movement>(`(async () => {
    const { draw, compare, brightness } = await openFace(${JSON.stringify(dataUrl(portrait))}, ${JSON.stringify(rig)}, ${JSON.stringify(portrait.rig)});
    const still = draw('sil');
    const open = draw('aa');
    const closed = draw('sil', 1);
    const swayed = draw('sil', 0, { x: 0.03, y: 0.01, angle: 0.008 });
    const mouth = compare(still, open, [[-0.5, 0.9, 0.5, 1.4], [-0.6, 1.5, 0.6, 2.1]]);
    const eyes = compare(still, closed, [[-0.8, -0.2, -0.2, 0.15], [0.2, -0.2, 0.8, 0.15]]);
    const gap = [-0.12, 1.12, 0.12, 1.24];
    return {
      lips: mouth.counts[0], chin: mouth.counts[1], mouthAround: mouth.around,
      inside: [brightness(still, gap), brightness(open, gap)],
      lids: Math.min(...eyes.counts), lidsAround: eyes.around,
      headAround: compare(still, swayed, []).around,
      isRestored: compare(still, draw('sil'), []).around[0] === 9,
    };
  })()`);
}
