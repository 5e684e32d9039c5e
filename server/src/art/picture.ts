import { type ArtType, artPixels } from '@session-launch/contract/admin/art';
import { invalidRequest } from '../primitives/errors.ts';
import { rasterFormats } from './raster.ts';
import { checkSvg, isSvg } from './svg.ts';

/** What the content of a picture shows about it. */
export interface Picture {
  type: ArtType;
  width?: number;
  height?: number;
}

/** For each type: its name in messages, the extension of stored files, and the extensions that an upload may have. */
const formats: Record<ArtType, { name: string; extension: string; extensions: RegExp }> = {
  'image/png': { name: 'a PNG', extension: 'png', extensions: /\.png$/i },
  'image/jpeg': { name: 'a JPEG', extension: 'jpg', extensions: /\.(jpe?g|jfif)$/i },
  'image/webp': { name: 'a WebP', extension: 'webp', extensions: /\.webp$/i },
  'image/avif': { name: 'an AVIF', extension: 'avif', extensions: /\.avif$/i },
  'image/svg+xml': { name: 'an SVG', extension: 'svg', extensions: /\.svg$/i },
};

export function extensionOf(type: ArtType): string {
  return formats[type].extension;
}

/** Recognises the type of a picture by its content, never by its name. */
export function typeOf(bytes: Buffer): ArtType | undefined {
  const raster = bytes.length < 12 ? undefined : rasterFormats.find(({ matches }) => matches(bytes));
  return raster?.type ?? (isSvg(bytes) ? 'image/svg+xml' : undefined);
}

/**
 * Reads the header of a picture. Pixels are never decoded, so that memory does not depend on the size that a header states. Returns what
 * is wrong with a file that is damaged, too large or harmful.
 */
export function readPicture(bytes: Buffer): Picture | { problem: string } {
  const type = typeOf(bytes);
  if (type === undefined) return { problem: unknownFormat(bytes) };
  if (type === 'image/svg+xml') {
    const result = checkSvg(bytes);
    return 'problem' in result ? result : { type, ...result };
  }
  const { name } = formats[type];
  try {
    const size = rasterFormats.find((format) => format.type === type)!.size(bytes);
    if (size.width * size.height > artPixels) return { problem: tooManyPixels(size) };
    if (size.width > 0 && size.height > 0) return { type, ...size };
  } catch {
    // The header ends too early or contradicts itself.
  }
  return { problem: `begins like ${name} but is damaged or incomplete. Export it again` };
}

/** What an upload says about its content. */
export interface Claims {
  contentType: string | undefined;
  name: string | undefined;
}

/** Returns the picture of an upload. Throws 400 if it is not acceptable, or is not what the upload says that it is. */
export function checkUpload(bytes: Buffer, claims: Claims): Picture {
  if (bytes.length === 0)
    throw invalidRequest([{ path: '', message: 'is empty; send the bytes of a picture' }]);
  const stated = statedType(claims.contentType);
  if (stated !== undefined && !stated.startsWith('image/'))
    throw invalidRequest([
      {
        path: 'Content-Type',
        message: `is ${stated.slice(0, 80)}; send the bytes of the picture as image/png, image/jpeg, image/webp, image/avif, image/svg+xml or application/octet-stream`,
      },
    ]);
  const picture = readPicture(bytes);
  if ('problem' in picture) throw invalidRequest([{ path: '', message: picture.problem }]);
  const { name, extension } = formats[picture.type];
  if (stated !== undefined && stated !== picture.type)
    throw invalidRequest([
      {
        path: 'Content-Type',
        message: `is ${stated.slice(0, 80)}, but the file is ${name}; send ${picture.type}`,
      },
    ]);
  if (!agrees(claims.name, picture.type))
    throw invalidRequest([
      {
        path: 'name',
        message: `has an extension of another type, but the file is ${name}; use .${extension}`,
      },
    ]);
  return picture;
}

const aliases: Record<string, ArtType> = { 'image/jpg': 'image/jpeg', 'image/pjpeg': 'image/jpeg' };

/** The media type without parameters; `undefined` if the upload leaves it open. */
function statedType(header: string | undefined): string | undefined {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined || type === '' || type === 'application/octet-stream') return undefined;
  return aliases[type] ?? type;
}

/** Whether a file name has an extension of this type. Names without an extension of a picture are accepted. */
function agrees(name: string | undefined, type: ArtType): boolean {
  const stated = Object.entries(formats).find(([, { extensions }]) => extensions.test(name ?? ''))?.[0];
  return stated === undefined || stated === type;
}

function tooManyPixels({ width, height }: { width: number; height: number }): string {
  return `has ${width} × ${height} pixels; at most ${artPixels / 1_000_000} million are allowed. Upload a smaller version`;
}

/** Formats that people try, by their first bytes. */
const others: [start: string, name: string][] = [
  ['GIF8', 'a GIF'],
  ['BM', 'a BMP'],
  ['II*\0', 'a TIFF'],
  ['MM\0*', 'a TIFF'],
  ['%PDF', 'a PDF'],
  ['8BPS', 'a Photoshop file'],
  ['\x1f\x8b', 'compressed with gzip'],
  ['PK\x03\x04', 'a ZIP archive'],
];

function unknownFormat(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 16);
  const isHeic = /^....ftyp(?:hei|hev|mif1|msf1)/s.test(start);
  const found = isHeic ? 'a HEIC' : others.find(([signature]) => start.startsWith(signature))?.[1];
  return `${found === undefined ? 'is not a picture that is supported' : `is ${found}`}. Upload a PNG, JPEG, WebP, AVIF or SVG`;
}
