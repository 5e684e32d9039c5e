import type { Experience } from '../document/model.ts';

/** What the start card of the preview shows: the characters before their location, as the player draws them. */
export interface Looks {
  /** The background; `undefined` if the location has no picture. */
  scene: string | undefined;
  /** For each character, its pictures, best first: the card shows the first that exists. */
  characters: { name: string; pictures: string[] }[];
}

const isPicture = /\.(?:svg|png|jpe?g|webp|avif|gif)(?:\?|$)/i;

/** The pictures that the player would show, in its order; none for a session with voice only. Paths are those of the document. */
export function looksOf({ runtime }: Experience, isVoiceOnly: boolean): Looks {
  if (isVoiceOnly) return { scene: undefined, characters: [] };
  const { characters, location } = runtime as {
    characters: { name: string; avatar?: Record<string, unknown> }[];
    location?: { assets?: unknown[] };
  };
  const isText = (value: unknown): value is string => typeof value === 'string';
  return {
    scene: location?.assets?.filter(isText).find((path) => isPicture.test(path)),
    characters: characters.map(({ name, avatar = {} }) => {
      const { avatarId, imagePath, thumbnailPath } = avatar;
      const folder =
        isText(avatarId) && /^[\w-]+$/.test(avatarId)
          ? [`/avatars/${avatarId}/full.svg`, `/avatars/${avatarId}/thumb.svg`]
          : [];
      return { name, pictures: [...[imagePath, thumbnailPath].filter(isText), ...folder] };
    }),
  };
}
