import { guide } from './guide.ts';
import { presenter } from './presenter.ts';
import { teacher } from './teacher.ts';
import { type Content, type Template, transport } from './template.ts';
import { voice } from './voice.ts';

/** Complete experiences that work without changes. Each one demonstrates other features of a mind. */
export const templates = {
  guide,
  teacher,
  presenter,
  voice,
  empty: {
    content: {
      runtime: {
        languages: { dual: false, default: 'en', conversation: 'match' },
        characters: [{ characterId: 'character', name: 'Sam', voice: { flite: { voice: 'slt' } } }],
        transport,
        mind: { greeting: { en: ['Hello! I am Sam.'] } },
      },
    },
  },
} as const satisfies Record<string, Template>;

export type TemplateName = keyof typeof templates;

/** The fields of a new experience. With `hasArt`, its first character has a face and a place, and the catalog entry is complete. */
export function contentOf(name: TemplateName, hasArt: boolean): Content {
  const { art, content }: Template = templates[name];
  if (art === undefined || !hasArt) return content;
  const { avatarId, locationId } = art;
  const background = `/locations/${locationId}/wide.svg`;
  const [first, ...others] = content.runtime.characters;
  return {
    ...content,
    avatarId,
    thumbnailPath: `/avatars/${avatarId}/thumb.svg`,
    galleryThumb: { avatarImage: `/avatars/${avatarId}/full.svg`, backgroundImage: background },
    runtime: {
      ...content.runtime,
      characters: [{ ...first!, avatar: { avatarId } }, ...others],
      location: { locationId, assets: [background] },
    },
  };
}
