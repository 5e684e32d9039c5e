import type { Static } from 'typebox';
import { timestamp } from './fields.ts';
import Type from './type.ts';

const orNull = (description: string, example: string, pattern?: string) =>
  Type.Union([Type.String(pattern === undefined ? {} : { pattern }), Type.Null()], {
    description: `${description} Null while the creator has not set it.`,
    examples: [example],
  });

/** An experience as the catalog shows it. Paths are the service's own, not full addresses. */
export const catalogEntrySchema = Type.Object(
  {
    experienceId: Type.String({
      pattern: '^exp_',
      description: 'Mint sessions with this id.',
      examples: ['exp_harbor_guide'],
    }),
    slug: Type.String({
      description: 'Readable name, unique inside its project only.',
      examples: ['harbor-guide'],
    }),
    title: Type.String({ description: 'What people call it.', examples: ['Sunrise Round the Harbor'] }),
    sortOrder: Type.Integer({
      description: 'Where its creator placed it; the list is sorted by this, then by experienceId.',
    }),
    updatedAt: timestamp('When the experience last changed.'),
    catalogReady: Type.Boolean({
      description: 'False while a gallery field is missing. The experience can be launched all the same.',
    }),
    avatarId: orNull('The avatar to show.', 'maren'),
    thumbnailPath: orNull(
      'Picture of the avatar: a path of this service.',
      '/avatars/maren/thumb.svg',
      '^/avatars/',
    ),
    galleryThumb: Type.Union(
      [
        Type.Object({
          avatarImage: Type.String({ pattern: '^/avatars/', description: 'Stands in front.' }),
          backgroundImage: Type.String({ pattern: '^/locations/', description: 'Covers the back.' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'The two layers of a gallery card, as paths of this service. Null while the creator has not set them.',
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
  { experiences: Type.Array(Type.Ref('CatalogEntry#'), { description: 'In the order of their creators.' }) },
  { $id: 'CatalogList', description: 'The published experiences of a project.' },
);
