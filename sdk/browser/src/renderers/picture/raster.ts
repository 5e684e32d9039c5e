/** Pixels as 32-bit numbers, RGBA from the lowest byte on. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  /** One row longer than the picture, because `sample` reads a neighbour of the last row with the weight 0. */
  readonly pixels: Int32Array;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function makeRaster({ width, height, data }: ImageData): Raster {
  const pixels = new Int32Array(width * (height + 1) + 1);
  pixels.set(new Int32Array(data.buffer));
  return { width, height, pixels };
}

export const copyOf = (raster: Raster): Raster => ({ ...raster, pixels: raster.pixels.slice() });

/** The box in whole pixels, inside the picture. */
export function clipped(box: Box, { width, height }: { width: number; height: number }): Box {
  const within = (value: number, limit: number) => Math.min(limit, Math.max(0, value));
  return {
    left: within(Math.floor(box.left), width),
    top: within(Math.floor(box.top), height),
    right: within(Math.ceil(box.right), width),
    bottom: within(Math.ceil(box.bottom), height),
  };
}

/**
 * Interpolates between four pixels, in steps of a 16th of a pixel. At whole coordinates the pixel is returned unchanged. The coordinates
 * must be inside the picture.
 */
export function sample(pixels: Int32Array, width: number, x: number, y: number): number {
  const fx = (x * 16) | 0;
  const fy = (y * 16) | 0;
  const u = fx & 15;
  const v = fy & 15;
  const i = ((fy >> 4) * width + (fx >> 4)) | 0;
  const d = u * v;
  const c = (v << 4) - d;
  const b = (u << 4) - d;
  const a = 256 - (u << 4) - c;
  const p = pixels[i]!;
  const q = pixels[i + 1]!;
  const r = pixels[i + width]!;
  const s = pixels[i + width + 1]!;
  // Two channels at once: each sum fits into 16 bits.
  const even = 0xff00ff;
  const redBlue =
    Math.imul(p & even, a) + Math.imul(q & even, b) + Math.imul(r & even, c) + Math.imul(s & even, d);
  const greenAlpha =
    Math.imul((p >>> 8) & even, a) +
    Math.imul((q >>> 8) & even, b) +
    Math.imul((r >>> 8) & even, c) +
    Math.imul((s >>> 8) & even, d);
  return ((redBlue >>> 8) & even) | (greenAlpha & ~even);
}

/** A mix of two opaque colours; `share` of the second one is from 0 to 1. */
export function mix(a: number, b: number, share: number): number {
  const w = (share * 256) | 0;
  const even = 0xff00ff;
  const redBlue = Math.imul(a & even, 256 - w) + Math.imul(b & even, w);
  const greenAlpha = Math.imul((a >>> 8) & even, 256 - w) + Math.imul((b >>> 8) & even, w);
  return ((redBlue >>> 8) & even) | (greenAlpha & ~even);
}

/** A colour with its brightness multiplied. */
export function shaded(color: number, by: number): number {
  const r = Math.min(255, (color & 255) * by);
  const g = Math.min(255, ((color >>> 8) & 255) * by);
  const b = Math.min(255, ((color >>> 16) & 255) * by);
  return r | (g << 8) | (b << 16) | (color & 0xff000000);
}

export const rgb = (r: number, g: number, b: number): number => r | (g << 8) | (b << 16) | 0xff000000;

export const brightness = (color: number): number =>
  (color & 255) * 0.3 + ((color >>> 8) & 255) * 0.59 + ((color >>> 16) & 255) * 0.11;
