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

/** Of a later version, or none at all: undefined. */
export async function fetchRig(url: string): Promise<Rig | undefined> {
  const response = await fetch(url, { credentials: 'omit' });
  if (!response.ok) return undefined;
  const rig = await response.json();
  return rig?.rig === 1 ? rig : undefined;
}
