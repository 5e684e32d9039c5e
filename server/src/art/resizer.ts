import { LRUCache } from 'lru-cache';
import type { Sharp, SharpOptions } from 'sharp';
import { typeOf } from './picture.ts';
import { hasTooManyScans } from './raster.ts';
import { WorkQueue } from './work-queue.ts';

/** Maximum bytes of cached results. */
const maxCachedBytes = 32 * 1024 * 1024;
/** Larger pictures are served as they are: a progressive JPEG needs about 12 bytes of memory per pixel. */
const maxPixels = 12_000_000;
/** Pictures that are resized at once. */
const maxRunning = 1;
const maxWaiting = 16;
const maxSeconds = 10;

/** A picture in another width, as WebP. */
export interface Resized {
  webp: Buffer;
}

/** Why the original is served instead. */
export type Original =
  /** It is the better answer: resizing would not make it smaller, the picture cannot be resized, or this platform cannot resize. */
  | 'original'
  /** Too much work is waiting, or resizing timed out. A later request may get the resized picture. */
  | 'original-for-now';

type Library = (input: Buffer, options: SharpOptions) => Sharp;

/** Resizes raster pictures with `sharp`, an optional dependency that is loaded for the first request that needs it. */
export class Resizer {
  readonly #results = new LRUCache<string, Resized | 'original'>({
    maxSize: maxCachedBytes,
    sizeCalculation: (result) => (result === 'original' ? 64 : result.webp.length),
  });
  readonly #pending = new Map<string, Promise<Resized | Original>>();
  readonly #queue = new WorkQueue(maxRunning, maxWaiting);
  readonly #load: () => Promise<Library | undefined>;
  #library: Promise<Library | undefined> | undefined;

  constructor(load: () => Promise<Library | undefined> = loadSharp) {
    this.#load = load;
  }

  /**
   * Returns a picture in this width, or in its own width if that is smaller. `key` identifies the content; `read` is called only if no
   * result is cached.
   */
  async resize(
    key: string,
    width: number,
    read: () => Promise<Buffer | undefined>,
  ): Promise<Resized | Original> {
    const name = `${width} ${key}`;
    const known = this.#results.get(name) ?? this.#pending.get(name);
    if (known !== undefined) return known;
    this.#library ??= this.#load();
    const library = await this.#library;
    if (library === undefined) return 'original';
    const running = this.#pending.get(name) ?? this.#start(library, name, width, read);
    return running ?? 'original-for-now';
  }

  #start(
    library: Library,
    name: string,
    width: number,
    read: () => Promise<Buffer | undefined>,
  ): Promise<Resized | Original> | undefined {
    const running = this.#queue
      .run(async () => {
        const result = await resized(library, await read(), width);
        this.#results.set(name, result);
        return result;
      })
      ?.catch((): Original => 'original-for-now')
      .finally(() => this.#pending.delete(name));
    if (running !== undefined) this.#pending.set(name, running);
    return running;
  }
}

async function resized(
  library: Library,
  original: Buffer | undefined,
  width: number,
): Promise<Resized | 'original'> {
  const type = original && typeOf(original);
  if (original === undefined || type === undefined || type === 'image/svg+xml') return 'original';
  if (type === 'image/jpeg' && hasTooManyScans(original)) return 'original';
  try {
    const webp = await library(original, { limitInputPixels: maxPixels, sequentialRead: true })
      .autoOrient()
      .resize({ width, withoutEnlargement: true })
      .webp({ quality: 80 })
      .timeout({ seconds: maxSeconds })
      .toBuffer();
    return webp.length < original.length ? { webp } : 'original';
  } catch (error) {
    // Too many pixels or damaged: it would fail again. A timeout may be caused by the load of the machine.
    if (/^timeout\b/.test((error as Error).message)) throw error;
    return 'original';
  }
}

/** Returns `undefined` on a platform for which `sharp` has no build, and where optional dependencies are not installed. */
async function loadSharp(): Promise<Library | undefined> {
  try {
    const { default: sharp } = await import('sharp');
    // One thread per picture, and no cache beside the one above.
    sharp.concurrency(1);
    sharp.cache(false);
    // Only the formats that are recognised here, not every format that the library can read.
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: allowed });
    return sharp;
  } catch {
    return undefined;
  }
}

const allowed = [
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadHeifBuffer',
];
