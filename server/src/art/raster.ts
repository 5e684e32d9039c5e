import type { ArtType } from '@session-launch/contract/admin/art';

/** Size of a raster picture in pixels, as its header states it. */
interface PixelSize {
  width: number;
  height: number;
}

/** Reads the header of a picture. Throws `Unreadable`, or a RangeError of Buffer, if the file is damaged or incomplete. */
type SizeReader = (bytes: Buffer) => PixelSize;

/** The file begins like a picture of its type, but is damaged or incomplete. */
export class Unreadable extends Error {}

export interface RasterFormat {
  type: Exclude<ArtType, 'image/svg+xml'>;
  matches(bytes: Buffer): boolean;
  /** Does not decode pixels, but checks that the file is complete. */
  size: SizeReader;
}

const ascii = (bytes: Buffer, start: number, length: number) =>
  bytes.toString('latin1', start, start + length);

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

export const rasterFormats: readonly RasterFormat[] = [
  {
    type: 'image/png',
    matches: (bytes) => bytes.subarray(0, 8).equals(pngSignature),
    size: pngSize,
  },
  {
    type: 'image/jpeg',
    matches: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
    size: jpegSize,
  },
  {
    type: 'image/webp',
    matches: (bytes) => ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP',
    size: webpSize,
  },
  { type: 'image/avif', matches: isAvif, size: avifSize },
];

function pngSize(bytes: Buffer): PixelSize {
  let size: PixelSize | undefined;
  let hasPixels = false;
  for (let at = 8; ; ) {
    const length = bytes.readUInt32BE(at);
    const chunk = ascii(bytes, at + 4, 4);
    if (at + 12 + length > bytes.length) throw new Unreadable();
    if (size === undefined) {
      if (chunk !== 'IHDR' || length !== 13) throw new Unreadable();
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (chunk === 'IDAT') hasPixels = true;
    if (chunk === 'IEND') break;
    at += 12 + length;
  }
  if (!hasPixels) throw new Unreadable();
  return size;
}

/** Markers of the frame header: every SOF except DHT, JPG and DAC, which share the range. */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const startOfScan = 0xda;
/** Encoders write about ten scans into a progressive JPEG. */
const maxScans = 100;
const endOfImage = Buffer.from([0xff, 0xd9]);

function jpegSize(bytes: Buffer): PixelSize {
  let size: PixelSize | undefined;
  let at = 2;
  for (let marker = 0; marker !== startOfScan; ) {
    if (bytes.readUInt8(at) !== 0xff) throw new Unreadable();
    // A marker may be preceded by any number of fill bytes.
    while (bytes.readUInt8(at) === 0xff) at++;
    marker = bytes.readUInt8(at++);
    if (isFrameHeader(marker))
      size = { height: bytes.readUInt16BE(at + 3), width: bytes.readUInt16BE(at + 5) };
    const length = bytes.readUInt16BE(at);
    if (length < 2) throw new Unreadable();
    at += length;
  }
  if (size === undefined || bytes.indexOf(endOfImage, at) === -1) throw new Unreadable();
  return size;
}

const scanHeader = Buffer.from([0xff, startOfScan]);

/**
 * Whether a JPEG has more scans than any encoder writes. A decoder processes all pixels once per scan, and a scan takes only 26 bytes, so a
 * small file could take minutes.
 */
export function hasTooManyScans(bytes: Buffer): boolean {
  let scans = 0;
  // In compressed data, 0xff is never followed by this byte.
  for (let at = bytes.indexOf(scanHeader); at !== -1 && scans <= maxScans; scans++)
    at = bytes.indexOf(scanHeader, at + 2);
  return scans > maxScans;
}

function webpSize(bytes: Buffer): PixelSize {
  if (bytes.readUInt32LE(4) + 8 > bytes.length) throw new Unreadable();
  const data = 20;
  switch (ascii(bytes, 12, 4)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(data + 4, 3) + 1, height: bytes.readUIntLE(data + 7, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(data + 1);
      if (bytes[data] !== 0x2f) throw new Unreadable();
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      if (bytes.readUIntBE(data + 3, 3) !== 0x9d012a) throw new Unreadable();
      return { width: bytes.readUInt16LE(data + 6) & 0x3fff, height: bytes.readUInt16LE(data + 8) & 0x3fff };
    default:
      throw new Unreadable();
  }
}

interface Box {
  name: string;
  start: number;
  end: number;
}

const maxBoxes = 1_000;

/** The boxes (ISO/IEC 14496-12) of a part of the file. Throws if one of them extends beyond it. */
function* boxesOf(bytes: Buffer, start: number, end: number): Generator<Box> {
  for (let at = start, count = 0; at < end; count++) {
    if (count === maxBoxes) throw new Unreadable();
    const short = bytes.readUInt32BE(at);
    const header = short === 1 ? 16 : 8;
    const length = short === 0 ? end - at : short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    if (length < header || at + length > end) throw new Unreadable();
    yield { name: ascii(bytes, at + 4, 4), start: at + header, end: at + length };
    at += length;
  }
}

function isAvif(bytes: Buffer): boolean {
  if (ascii(bytes, 4, 4) !== 'ftyp') return false;
  const end = Math.min(bytes.readUInt32BE(0), bytes.length);
  for (let at = 8; at + 4 <= end; at += 4) if (/^avi[fs]$/.test(ascii(bytes, at, 4))) return true;
  return false;
}

/** The largest picture that the file holds: it may also hold tiles and thumbnails. */
function avifSize(bytes: Buffer): PixelSize {
  const within = (parents: Box[], name: string, skipped = 0) =>
    parents.flatMap(({ start, end }) =>
      [...boxesOf(bytes, start + skipped, end)].filter((box) => box.name === name),
    );
  const meta = within([{ name: '', start: 0, end: bytes.length }], 'meta');
  // Like `ispe`, `meta` begins with four bytes of version and flags.
  const properties = within(within(meta, 'iprp', 4), 'ipco');
  const sizes = within(properties, 'ispe').map(({ start }) => ({
    width: bytes.readUInt32BE(start + 4),
    height: bytes.readUInt32BE(start + 8),
  }));
  const [largest] = sizes.sort((a, b) => b.width * b.height - a.width * a.height);
  if (largest === undefined) throw new Unreadable();
  return largest;
}
