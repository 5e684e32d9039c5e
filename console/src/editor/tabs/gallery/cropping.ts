/** Width divided by height. `original` keeps that of the picture. */
export const shapes = { card: 16 / 10, square: 1, portrait: 3 / 4, original: undefined } as const;
export type Shape = keyof typeof shapes;

/** Which part of a picture is kept. `across` and `down` are from 0 to 1; 0.5 is the centre. */
export interface Crop {
  shape: Shape;
  /** From 1, the largest part of this shape. */
  zoom: number;
  across: number;
  down: number;
}

interface Size {
  width: number;
  height: number;
}

/** The service scales pictures to at most this width. */
const maxWidth = 1_280;

/** The part of a picture that a crop keeps, in pixels. */
export function partOf({ width, height }: Size, { shape, zoom, across, down }: Crop) {
  const ratio = shapes[shape] ?? width / height;
  const kept = Math.min(width, height * ratio) / zoom;
  const size = { width: kept, height: kept / ratio };
  return { ...size, left: (width - size.width) * across, top: (height - size.height) * down };
}

/** The size of the result: that of the part, at most `maxWidth` wide. */
export function resultSize(picture: Size, crop: Crop): Size {
  const part = partOf(picture, crop);
  const scale = Math.min(1, maxWidth / part.width);
  return {
    width: Math.max(1, Math.round(part.width * scale)),
    height: Math.max(1, Math.round(part.height * scale)),
  };
}

/** Draws the part that is kept on a canvas of any size with its shape. */
export function draw(canvas: HTMLCanvasElement, picture: ImageBitmap, crop: Crop): void {
  const { left, top, width, height } = partOf(picture, crop);
  const context = canvas.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, left, top, width, height, 0, 0, canvas.width, canvas.height);
}

/** Cuts the part out. WebP, or PNG in browsers that cannot write WebP. */
export async function cut(picture: ImageBitmap, crop: Crop): Promise<Blob> {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, resultSize(picture, crop));
  draw(canvas, picture, crop);
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) =>
      blob === null ? reject(new Error('The picture is too large for this browser.')) : resolve(blob);
    canvas.toBlob(done, 'image/webp', 0.9);
  });
}

/** The name of a file with the extension of its new type. */
export function renamed(name: string, type: string): string {
  return `${name.replace(/\.[^.]*$/, '') || 'picture'}.${type.replace('image/', '').replace('jpeg', 'jpg')}`;
}
