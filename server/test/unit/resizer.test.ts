import { expect, test } from 'vitest';
import { Resizer } from '../../src/art/resizer.ts';
import { WorkQueue } from '../../src/art/work-queue.ts';
import {
  jpeg,
  jpegOfScans,
  jpegOfStatedSize,
  pngBomb,
  svg,
  webpOfFrames,
  whiteWebp,
} from '../harness/pictures.ts';

const isInstalled = await import('sharp').then(
  () => true,
  () => false,
);

/** Resizing that ends when the test says so. */
function heldLibrary() {
  const ends: (() => void)[] = [];
  const chain = {
    autoOrient: () => chain,
    resize: () => chain,
    webp: () => chain,
    timeout: () => chain,
    toBuffer: () => new Promise<Buffer>((resolve) => ends.push(() => resolve(Buffer.from('small')))),
  };
  return { ends, load: async () => (() => chain) as never };
}

test('without the library the original is served, and the picture is not even read', async () => {
  const resizer = new Resizer(async () => undefined);
  const read = () => Promise.reject(new Error('read'));
  expect(await resizer.resize('a', 320, read)).toBe('original');
});

test('a JPEG becomes a smaller WebP where the library is installed', async () => {
  const result = await new Resizer().resize('a', 320, async () => jpeg);
  if (!isInstalled) return expect(result).toBe('original');
  const { webp } = result as { webp: Buffer };
  expect(webp.toString('latin1', 8, 12)).toBe('WEBP');
  expect(webp.length).toBeLessThan(jpeg.length / 4);
});

test('an SVG is never resized; a damaged picture is served as it is', async () => {
  const resizer = new Resizer();
  expect(await resizer.resize('a', 320, async () => svg())).toBe('original');
  const damaged = Buffer.concat([jpeg.subarray(0, 700), Buffer.alloc(9_000, 7)]);
  expect(await resizer.resize('b', 320, async () => damaged)).toBe('original');
});

/** A library whose work fails with this message, and the number of its calls. */
function failingLibrary(message: string) {
  const state = { calls: 0 };
  const chain = {
    autoOrient: () => chain,
    resize: () => chain,
    webp: () => chain,
    timeout: () => chain,
    toBuffer: () => {
      state.calls++;
      return Promise.reject(new Error(message));
    },
  };
  return { state, load: async () => (() => chain) as never };
}

test.each([
  ['Input image exceeds pixel limit', 'original', 1],
  ['Input buffer contains unsupported image format', 'original', 1],
  ['timeout: 42% complete', 'original-for-now', 2],
] as const)(
  'after the error "%s" the answer is %s, and two requests resize %d times',
  async (message, answer, times) => {
    const { state, load } = failingLibrary(message);
    const resizer = new Resizer(load);
    for (let n = 0; n < 2; n++) expect(await resizer.resize('a', 320, async () => jpeg)).toBe(answer);
    expect(state.calls).toBe(times);
  },
);

test.skipIf(!isInstalled)(
  'a picture of more than 12 million pixels is read once and served as it is',
  async () => {
    const { default: sharp } = await import('sharp');
    const large = await sharp({ create: { width: 4_001, height: 3_000, channels: 3, background: 'white' } })
      .png()
      .toBuffer();
    const resizer = new Resizer();
    let reads = 0;
    const read = async () => {
      reads++;
      return large;
    };
    for (let n = 0; n < 3; n++) expect(await resizer.resize('large', 320, read)).toBe('original');
    expect(reads).toBe(1);
  },
);

test('a JPEG with more than 100 scans is served as it is: each of them takes as long as the whole picture', async () => {
  const resizer = new Resizer();
  expect(await resizer.resize('a', 320, async () => jpegOfScans(800))).toBe('original');
  const few = await resizer.resize('b', 320, async () => jpegOfScans(100));
  if (!isInstalled) return expect(few).toBe('original');
  expect((few as { webp: Buffer }).webp.length).toBeLessThan(1_000);
});

/** Files of at most 1.1 MB that would take hundreds of megabytes or many seconds if they were decoded completely. */
const bombs: Record<string, () => Buffer> = {
  'a PNG whose pixels expand to 1 GiB': () => pngBomb('IDAT'),
  'a PNG whose colour profile expands to 1 GiB': () => pngBomb('iCCP'),
  'a PNG whose text expands to 1 GiB': () => pngBomb('zTXt'),
  'a JPEG that states 65,500 × 65,500 pixels': jpegOfStatedSize,
  'a WebP of 16,383 × 16,383 pixels': () => whiteWebp(16_383),
  'a WebP whose frame is larger than it states': () => webpOfFrames(whiteWebp(16_383), 64, 1),
  'a WebP animation of 10,000 frames': () => webpOfFrames(whiteWebp(3_000), 3_000, 10_000),
};

test.runIf(isInstalled).each(Object.entries(bombs))(
  '%s is resized or served as it is, and takes less than 300 MB',
  async (_, make) => {
    const bomb = make();
    expect(bomb.length).toBeLessThan(1_100_000);
    const before = process.resourceUsage().maxRSS;
    const resizer = new Resizer();
    const result = await resizer.resize('bomb', 320, async () => bomb);
    expect(result).not.toBe('original-for-now');
    expect((process.resourceUsage().maxRSS - before) / 1000).toBeLessThan(300);
    // The result is cached.
    expect(await resizer.resize('bomb', 320, () => Promise.reject(new Error('read')))).toEqual(result);
  },
);

test('one is resized at a time and sixteen wait; further requests get the original for now', async () => {
  const { ends, load } = heldLibrary();
  const resizer = new Resizer(load);
  const read = async () => jpeg;
  const running = Array.from({ length: 17 }, (_, i) => resizer.resize(`picture ${i}`, 320, read));
  await expect.poll(() => ends.length).toBe(1);
  expect(await resizer.resize('one more', 320, read)).toBe('original-for-now');
  // The same picture again shares the work that is waiting.
  const again = resizer.resize('picture 16', 320, read);
  for (let ended = 0; ended < 17; ended++) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended);
    expect(ends.length).toBeLessThanOrEqual(ended + 1);
    ends[ended]!();
  }
  for (const result of await Promise.all([...running, again]))
    expect(result).toEqual({ webp: Buffer.from('small') });
  expect(ends).toHaveLength(17);
  const cached = await resizer.resize('picture 3', 320, () => Promise.reject(new Error('read')));
  expect(cached).toEqual({ webp: Buffer.from('small') });
});

test('a queue goes on after work that fails', async () => {
  const queue = new WorkQueue(1, 1);
  const failing = queue.run(() => Promise.reject(new Error('no')));
  const next = queue.run(async () => 'done');
  expect(queue.run(async () => 'refused')).toBeUndefined();
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});
