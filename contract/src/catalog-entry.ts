import type { Static } from 'typebox';
import { timestamp } from './fields.ts';
import Type from './type.ts';

const orNull = (description: string, example: string, pattern?: string) =>
  Type.Union([Type.String(pattern === undefined ? {} : { pattern }), Type.Null()], {
    description: `${description} Null until the creator sets it.`,
    examples: [example],
  });

/** A catalog entry. Paths are relative to the service, not full URLs. */
export const catalogEntrySchema = Type.Object(
  {
    experienceId: Type.String({
      pattern: '^exp_',
      description: 'Id of the experience; use it to create sessions.',
      examples: ['exp_harbor_guide'],
    }),
    slug: Type.String({
      description: 'Readable name, unique inside its project only.',
      examples: ['harbor-guide'],
    }),
    title: Type.String({ description: 'Display title.', examples: ['Sunrise Round the Harbor'] }),
    sortOrder: Type.Integer({
      description: 'Position set by the creator. The list is sorted by this field, then by experienceId.',
    }),
    updatedAt: timestamp('When the experience last changed.'),
    catalogReady: Type.Boolean({
      description: 'False if a gallery field is missing. The experience can still be launched.',
    }),
    avatarId: orNull('Id of the avatar.', 'maren'),
    thumbnailPath: orNull(
      'Path of the avatar thumbnail on this service.',
      '/avatars/maren/thumb.svg',
      '^/avatars/',
    ),
    galleryThumb: Type.Union(
      [
        Type.Object({
          avatarImage: Type.String({ pattern: '^/avatars/', description: 'Foreground image.' }),
          backgroundImage: Type.String({ pattern: '^/locations/', description: 'Background image.' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'The two image layers of a gallery card, as paths on this service. Null until the creator sets them.',
      },
    ),
    discoveryTags: Type.Array(Type.String(), {
      maxItems: 0,
      description: 'Always empty; kept for older clients.',
    }),
  },
  { $id: 'CatalogEntry', description: 'One published experience.' },
);

export type CatalogEntry = Static<typeof catalogEntrySchema>;

export const catalogListSchema = Type.Object(
  { experiences: Type.Array(catalogEntrySchema, { description: 'In creator-defined order.' }) },
  { $id: 'CatalogList', description: 'The published experiences of a project.' },
);
