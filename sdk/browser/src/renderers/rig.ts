import { type Check, fits, matching, optional, type Shape } from '../core/shape.ts';

/** How a drawn character moves: what `rig.json` beside its picture says. */
export interface Rig {
  rig: 1;
  image: string;
  head: { parts: string[]; pivot: [number, number]; maxTilt: number };
  eyes: {
    pupils: string;
    shine?: string;
    lids?: string;
    blink: { scaleY: number; about: number };
    look: [number, number];
  };
  brows?: string;
  mouth: {
    replace: string;
    at: [number, number];
    width: number;
    height: number;
    smile: number;
    colors: { lip: string; inside: string; teeth: string; tongue: string };
    style: 'soft' | 'line';
  };
  breathe?: { part: string; scaleY: number; seconds: number };
}

/** The folder with the art of a character; undefined when it has none. */
export function artFolder(character: object): string | undefined {
  const { avatar } = character as { avatar?: { avatarId?: unknown } };
  const id = avatar?.avatarId;
  return typeof id === 'string' && /^[\w-]+$/.test(id) ? `/avatars/${id}` : undefined;
}

const number: Check = (value) => Number.isFinite(value);
const point: Check = (value) => fits(value, [number]) && value.length === 2;
/** An id that a selector can hold. */
const part = matching(/^[a-z][\w-]*$/i);
/** Hexadecimal or a name. Nothing that could refer to an address: it becomes the value of `fill` and `stroke`. */
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

/** Returns undefined if there is no rig, or one that is malformed or of a later version. */
export async function fetchRig(url: string): Promise<Rig | undefined> {
  const response = await fetch(url, { credentials: 'omit' });
  if (!response.ok) return undefined;
  const rig = await response.json();
  return fits(rig, shape) ? rig : undefined;
}
