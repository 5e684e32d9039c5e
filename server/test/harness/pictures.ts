import { readFileSync } from 'node:fs';
import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));

/** 1200 × 800 pixels. */
export const jpeg = fixture('picture.jpg');
/** 240 × 160 pixels. */
export const webp = fixture('picture.webp');
/** 240 × 160 pixels. */
export const avif = fixture('picture.avif');

/** A PNG whose header states this size. Its pixels are not complete: the service must not decode them. */
export function png(width: number, height: number, seed = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(`pixels ${seed}`))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Data of zlib that expands to this many MiB of zeros, about a thousand times its size. Without its end. */
function zeros(mebibytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(2 ** 20), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array<Buffer>(mebibytes).fill(block)]);
}

/** A PNG of 64 × 64 pixels whose pixels, or a chunk of this type before them, expand to 1 GiB. */
export function pngBomb(type: 'IDAT' | 'iCCP' | 'zTXt'): Buffer {
  const empty = png(64, 64);
  const afterHeader = 8 + 25;
  const name = type === 'IDAT' ? '' : 'a\0\0';
  const bomb = chunk(type, Buffer.concat([Buffer.from(name, 'latin1'), zeros(1024)]));
  const pixels =
    type === 'IDAT' ? bomb : Buffer.concat([bomb, chunk('IDAT', deflateSync(Buffer.alloc(64 * 257)))]);
  return Buffer.concat([empty.subarray(0, afterHeader), pixels, chunk('IEND', Buffer.alloc(0))]);
}

/** A lossless white WebP of this width and height: 38 bytes, because pixels of one colour take no bits. */
export function whiteWebp(size: number): Buffer {
  const white = Buffer.from(
    '524946461e000000574542505650384c110000002f0000000007d0fffef7bfff8188e87f0000',
    'hex',
  );
  white.writeUInt32LE((size - 1) | ((size - 1) << 14), 21);
  return white;
}

/** An extended WebP whose header states this size of the canvas, with frames of another size. `frame` is a lossless WebP. */
export function webpOfFrames(frame: Buffer, canvas: number, frames: number): Buffer {
  const sized = (type: string, data: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(type, 'latin1'), size, data, Buffer.alloc(data.length % 2)]);
  };
  const less = Buffer.alloc(6);
  less.writeUIntLE(canvas - 1, 0, 3);
  less.writeUIntLE(canvas - 1, 3, 3);
  const image = frame.subarray(12);
  const animated = sized('ANMF', Buffer.concat([Buffer.alloc(6), less, Buffer.from([10, 0, 0, 0]), image]));
  const parts = [
    Buffer.from('WEBP', 'latin1'),
    sized('VP8X', Buffer.concat([Buffer.from([frames > 1 ? 2 : 0, 0, 0, 0]), less])),
    ...(frames > 1 ? [sized('ANIM', Buffer.alloc(6)), ...Array<Buffer>(frames).fill(animated)] : [image]),
  ];
  return sized('RIFF', Buffer.concat(parts));
}

/** The JPEG above with a header that states 65,500 × 65,500 pixels. */
export function jpegOfStatedSize(): Buffer {
  const changed = Buffer.from(jpeg);
  const frame = [0xc0, 0xc2]
    .map((marker) => changed.indexOf(Buffer.from([0xff, marker])))
    .find((at) => at > 0)!;
  changed.writeUInt16BE(65_500, frame + 5);
  changed.writeUInt16BE(65_500, frame + 7);
  return changed;
}

/** A grey progressive JPEG of 1024 × 1024 pixels with up to 883 scans. Each scan adds one bit to one coefficient of all 16,384 blocks. */
export function jpegOfScans(scans: number): Buffer {
  const segment = (marker: number, ...data: number[]) =>
    Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255, ...data]);
  /** A Huffman table with one symbol, whose code is one bit. */
  const table = (id: number, symbol: number) => segment(0xc4, id, 1, ...Array<number>(15).fill(0), symbol);
  const startOfScan = (coefficient: number, bits: number) =>
    segment(0xda, 1, 1, 0, coefficient, coefficient, bits);
  const parts = [
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(0xc2, 8, 4, 0, 4, 0, 1, 1, 0x11, 0),
    table(0x00, 0),
    table(0x10, 0xe0),
    startOfScan(0, 0),
    Buffer.alloc(16_384 / 8),
  ];
  for (let scan = 1; scan < scans; scan++) {
    const [coefficient, bit] = [1 + Math.floor((scan - 1) / 14), 13 - ((scan - 1) % 14)];
    // One run of 16,384 empty blocks.
    parts.push(startOfScan(coefficient, bit === 13 ? 13 : ((bit + 1) << 4) | bit), Buffer.from([0, 1]));
  }
  return Buffer.concat([...parts, Buffer.from([0xff, 0xd9])]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

export function svg(content = '', attributes = 'viewBox="0 0 40 30"'): Buffer {
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`);
}

/** Five levels of ten copies each: few elements that would draw a hundred thousand. */
const copies = Array.from(
  { length: 6 },
  (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
).join('');

/** Files that an upload refuses, with a part of the reason. */
export const hostileFiles: Record<string, [content: Buffer, reason: string]> = {
  'a PNG of 30,000 × 30,000 pixels': [png(30_000, 30_000), '30000 × 30000 pixels'],
  'a PNG of 4 billion × 4 billion pixels': [png(2 ** 32 - 1, 2 ** 32 - 1), 'at most 40 million'],
  'a PNG without width': [png(0, 10), 'damaged or incomplete'],
  'a PNG that ends early': [png(10, 10).subarray(0, -6), 'begins like a PNG'],
  'a JPEG that ends early': [jpeg.subarray(0, jpeg.length / 2), 'begins like a JPEG'],
  'a WebP that ends early': [webp.subarray(0, webp.length / 2), 'begins like a WebP'],
  'an AVIF that ends early': [avif.subarray(0, avif.length / 2), 'begins like an AVIF'],
  'only the signature of a PNG': [png(1, 1).subarray(0, 12), 'begins like a PNG'],
  'a GIF': [Buffer.from('GIF89a then something'), 'is a GIF'],
  'a PDF': [Buffer.from('%PDF-1.7 then something'), 'is a PDF'],
  text: [Buffer.from('just words'), 'not a picture'],
  'a web page': [Buffer.from('<!doctype html><svg></svg>'), 'not a picture'],
  'random bytes': [Buffer.alloc(5_000, 0x9d), 'not a picture'],
  'an SVG with entities': [
    Buffer.from(
      `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "lol">${'<!ENTITY b "&a;&a;">'.repeat(9)}]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>`,
    ),
    'DOCTYPE',
  ],
  'an SVG with another DOCTYPE': [Buffer.from('<!DOCTYPE lolz><svg></svg>'), 'DOCTYPE'],
  'an SVG with 200,000 elements': [svg('<g/>'.repeat(200_000)), 'more than 50000 elements'],
  'an SVG 10,000 levels deep': [svg('<g>'.repeat(10_000) + '</g>'.repeat(10_000)), '64 levels deep'],
  'an SVG whose copies multiply': [svg(`<g id="l0"><rect/></g>${copies}`), 'more than 50000 elements'],
  'an SVG that copies itself': [
    svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
    'levels deep',
  ],
  'an SVG that loads a picture': [
    svg('<image href="https://example.com/a.png"/>'),
    'https://example.com/a.png',
  ],
  'an SVG that loads a file': [svg('<use xlink:href="file:///etc/passwd#a"/>'), 'file:///etc/passwd'],
  'an SVG whose style loads a picture': [
    svg('<rect style="fill:url( //example.com/a )"/>'),
    '//example.com/a',
  ],
  'an SVG that imports a style sheet': [svg('<style>@import "https://example.com/a.css"</style>'), '@import'],
  'an SVG with a style sheet': [
    Buffer.from('<?xml-stylesheet href="a.css"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
    'xml-stylesheet',
  ],
  'an SVG that embeds an SVG': [svg('<image href="data:image/svg+xml,<svg/>"/>'), 'well-formed'],
  'an SVG with an open tag': [svg('<g>'), 'well-formed'],
  'an SVG with crossed tags': [svg('<g><a></g></a>'), 'well-formed'],
  'an SVG with two roots': [Buffer.concat([svg(), svg()]), 'well-formed'],
  'an SVG that ends in a comment': [svg('<!-- '), 'well-formed'],
  'an SVG with 1,000 attributes': [
    svg('', Array.from({ length: 1_000 }, (_, i) => `a${i}=""`).join(' ')),
    'well-formed',
  ],
  'an SVG in Latin-1': [Buffer.from('<svg><text>é</text></svg>', 'latin1'), 'UTF-8'],
  'an SVG that states another encoding': [
    Buffer.from('<?xml version="1.0" encoding="UTF-16"?><svg/>'),
    'encoding UTF-16',
  ],
};
