import type { Rig } from '../contract.ts';
import { type Check, fits, matching, optional, type Shape } from '../core/shape.ts';

/** Path of the folder with a character's images; undefined if it has none. */
export function artFolder(character: object): string | undefined {
  const { avatar } = character as { avatar?: { avatarId?: unknown } };
  const id = avatar?.avatarId;
  return typeof id === 'string' && /^[\w-]+$/.test(id) ? `/avatars/${id}` : undefined;
}

const number: Check = (value) => Number.isFinite(value);
const point: Check = (value) => fits(value, [number]) && value.length === 2;
/** An id that is valid in a CSS selector without escaping. */
const part = matching(/^[a-z][\w-]*$/i);
/** A hexadecimal colour or a colour name. Becomes the value of `fill` and `stroke`, so it must not contain a URL. */
const color = matching(/^#?\w+$/);

const shape: Shape = {
  rig: (value) => value === 1,
  image: matching(/^[\w-]+\.svg$/),
  head: { parts: [part], pivot: point, maxTilt: number },
  eyes: {
    pupils: part,
    shine: optional(part),
    lids: optional(part),
    blink: { scaleY: number, about: number },
    look: point,
  },
  brows: optional(part),
  mouth: {
    replace: part,
    at: point,
    width: number,
    height: number,
    smile: number,
    colors: { lip: color, inside: color, teeth: color, tongue: color },
  },
  breathe: optional({ part, scaleY: number, seconds: number }),
};

/** Timeout in milliseconds of the requests for a rig and for a drawing. The player then shows another renderer. */
export const timeoutMs = 10_000;

/** `rig.json` of a picture. The renderer of pictures checks its other fields. */
export interface UncheckedPictureRig {
  rig: 2;
}

/**
 * Fetches `rig.json` of a character. Returns undefined if the rig does not exist, is malformed or has another version. Rejects if the
 * response is not JSON or not complete within `timeoutMs`.
 */
export async function fetchRig(url: string): Promise<Rig | UncheckedPictureRig | undefined> {
  const response = await fetch(url, { credentials: 'omit', signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) return undefined;
  const rig = await response.json();
  return rig?.rig === 2 || fits(rig, shape) ? rig : undefined;
}
