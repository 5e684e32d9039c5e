import { pictureTexts } from '../../texts/editor/picture.ts';

const texts = pictureTexts.problems;

const maxMiB = 20;
const maxPixels = 40_000_000;
/** Least length of a side: smaller faces have no details that could move. */
const leastSide = 160;
/** Longest side of what is stored. Players show no more. */
const longestSide = 1_280;
/** Maximum size of the stored picture. The request, in Base64 and with the small picture, must stay below 4 MiB. */
const maxStoredBytes = 2_500_000;
/** Longer side of the small picture. */
const thumbSide = 320;

/** A picture with the size in which it is stored. */
export interface OpenedPicture {
  canvas: HTMLCanvasElement;
  /** The stored file, if the picture is one: it is used again as it is. */
  stored?: Blob;
}

/** Opens a file that a person chose. Throws with the reason if it cannot be used. */
export async function openFile(file: File): Promise<OpenedPicture> {
  if (file.size > maxMiB * 2 ** 20) throw new Error(texts.tooLarge(maxMiB));
  const start = new Uint8Array(await file.slice(0, 64).arrayBuffer());
  const type = typeOf(start);
  if (type === undefined) throw new Error(isDrawing(file, start) ? texts.drawing : texts.format);
  return { canvas: await decoded(new Blob([file], { type })) };
}

/** Opens the picture of a face of the project. */
export async function openStored(url: string): Promise<OpenedPicture> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(texts.gone);
  const stored = await response.blob();
  return { canvas: await decoded(stored), stored };
}

/** Decodes a picture, turned as its metadata say, and scales it down once. */
async function decoded(blob: Blob): Promise<HTMLCanvasElement> {
  const bitmap = await createImageBitmap(blob).catch(() => {
    throw new Error(texts.unreadable);
  });
  try {
    const { width, height } = bitmap;
    if (width * height > maxPixels) throw new Error(texts.tooManyPixels(maxPixels / 1_000_000));
    if (Math.min(width, height) < leastSide) throw new Error(texts.tooSmall(leastSide));
    return drawn(bitmap, 0, 0, width, height, Math.min(1, longestSide / Math.max(width, height)));
  } finally {
    bitmap.close();
  }
}

/** Copies a part of a picture to a new canvas. */
export function drawn(
  source: CanvasImageSource,
  left: number,
  top: number,
  width: number,
  height: number,
  scale: number,
): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.drawImage(source, left, top, width, height, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * The picture as a file: without the metadata of the original, which may name a place. JPEG, or WebP for pictures with transparent parts;
 * browsers that cannot write WebP write PNG.
 */
export async function fileOf({ canvas, stored }: OpenedPicture): Promise<Blob> {
  if (stored !== undefined) return stored;
  const type = isOpaque(canvas) ? 'image/jpeg' : 'image/webp';
  for (let scale = 1; scale > 0.3; scale *= 0.75) {
    const smaller = scale === 1 ? canvas : drawn(canvas, 0, 0, canvas.width, canvas.height, scale);
    const blob = await blobOf(smaller, type);
    if (blob.size <= maxStoredBytes) return blob;
  }
  throw new Error(texts.unreadable);
}

/** The square around the face as a small file. `centre` and `side` are in pixels of the canvas. */
export function thumbOf(
  canvas: HTMLCanvasElement,
  [x, y]: readonly [number, number],
  side: number,
): Promise<Blob> {
  const { width, height } = canvas;
  const size = Math.min(side, width, height);
  const left = Math.min(width - size, Math.max(0, x - size / 2));
  const top = Math.min(height - size, Math.max(0, y - size / 2));
  const thumb = drawn(canvas, left, top, size, size, Math.min(1, thumbSide / size));
  return blobOf(thumb, isOpaque(thumb) ? 'image/jpeg' : 'image/webp');
}

function blobOf(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) => (blob === null ? reject(new Error(texts.unreadable)) : resolve(blob));
    canvas.toBlob(done, type, 0.9);
  });
}

function isOpaque(canvas: HTMLCanvasElement): boolean {
  const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
  for (let i = 3; i < data.length; i += 4) if (data[i]! < 255) return false;
  return true;
}

export async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  // In parts, because a call takes a limited number of arguments.
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
}

const starts: [type: string, start: number[], next?: [at: number, bytes: number[]]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46], [8, [0x57, 0x45, 0x42, 0x50]]],
];

/** The type of a picture by its content: names of files may be wrong. */
export function typeOf(content: Uint8Array): string | undefined {
  const has = (at: number, bytes: readonly number[]) => bytes.every((byte, i) => content[at + i] === byte);
  return starts.find(([, start, next]) => has(0, start) && (next === undefined || has(...next)))?.[0];
}

function isDrawing({ name }: File, start: Uint8Array): boolean {
  return /\.svg$/i.test(name) || /^\s*<(?:\?xml|svg|!--)/.test(new TextDecoder().decode(start));
}
