import type { Static } from 'typebox';
import { galleryExample, headers, notModified, ofTheCatalog, projectId, tag } from './catalog.ts';
import { catalogEntrySchema } from './catalog-entry.ts';
import { etag, revalidated } from './headers.ts';
import { jsonAnswer, type Operation } from './operation.ts';
import { categories, description, shownTaxonomy, useCase } from './project-file/taxonomy.ts';
import Type from './type.ts';

export const galleryEntrySchema = Type.Object(
  {
    ...catalogEntrySchema.properties,
    description: Type.Optional(description),
    taxonomy: Type.Optional(shownTaxonomy),
  },
  { $id: 'GalleryEntry', description: 'One published experience, with what a gallery shows and filters by.' },
);

export type GalleryEntry = Static<typeof galleryEntrySchema>;

export const gallerySchema = Type.Object(
  { experiences: Type.Array(galleryEntrySchema, { description: 'In creator-defined order.' }) },
  { $id: 'Gallery', description: 'The published experiences of a project that are ready for a gallery.' },
);

const filter = (schema: typeof useCase, name: string) =>
  Type.Optional({ ...schema, description: `Only experiences with this ${name}.` });

export const galleryQuery = Type.Object(
  {
    useCase: filter(useCase, 'use case'),
    purpose: filter(categories.purpose, 'purpose'),
    interactionMode: filter(categories.interactionMode, 'interaction mode'),
    domain: filter(categories.domain, 'domain'),
    universe: filter(categories.universe, 'universe'),
    era: filter(categories.era, 'era'),
  },
  { additionalProperties: false },
);

export type GalleryQuery = Static<typeof galleryQuery>;

export const galleryOperation = {
  operationId: 'listGallery',
  method: 'get',
  path: '/v1/projects/{projectId}/gallery',
  tag,
  summary: 'List the experiences of a project for a gallery',
  description:
    'Returns the catalog entries that have `catalogReady`, in creator-defined order, with `description` and `taxonomy` where the creator has set them. Each parameter keeps the entries with exactly that value; an entry must match all of them. Any valid key of the project may read it, as with the catalog.',
  caller: 'api-key',
  params: Type.Object({ projectId }),
  query: galleryQuery,
  headers,
  answers: {
    200: jsonAnswer(
      'The gallery.',
      gallerySchema,
      { gallery: { summary: 'One experience', value: { experiences: [galleryExample] } } },
      etag,
    ),
    304: notModified,
  },
  errors: ['INVALID_REQUEST', ...ofTheCatalog],
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: colour is not a known field.',
      details: [{ path: 'colour', message: 'is not a known field' }],
    },
  },
  everyAnswer: revalidated,
} satisfies Operation;
