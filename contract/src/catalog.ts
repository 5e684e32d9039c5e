import { catalogEntrySchema, catalogListSchema } from './catalog-entry.ts';
import { optional } from './fields.ts';
import { etag, revalidated } from './headers.ts';
import { jsonAnswer, type Operation } from './operation.ts';
import Type from './type.ts';

export const tag = { name: 'Catalog', description: 'The published experiences of a project.' };
export const projectId = Type.String({ description: 'The project of the API key.', examples: ['prj_demo'] });
const slug = Type.String({ description: 'Slug of the experience.', examples: ['harbor-guide'] });
export const headers = Type.Object({
  'If-None-Match': optional.string({
    description: 'ETag of a cached copy. If it is still current, the response is 304 without a body.',
    examples: ['"b3nq1Zt0Qw8mYc2kVt5xR7uLh9s"'],
  }),
});

const complete = {
  experienceId: 'exp_harbor_guide',
  slug: 'harbor-guide',
  title: 'Sunrise Round the Harbor',
  sortOrder: 10,
  updatedAt: '2026-03-01T09:30:00.000Z',
  catalogReady: true,
  avatarId: 'maren',
  thumbnailPath: '/avatars/maren/thumb.svg',
  galleryThumb: {
    avatarImage: '/avatars/maren/full.svg',
    backgroundImage: '/locations/old-harbor/wide.svg',
  },
  discoveryTags: [],
};
export const galleryExample = {
  ...complete,
  description: 'Walk along the harbor with Maren while the boats come in.',
  taxonomy: { useCases: ['sightseeing'], purpose: 'explore', domain: 'travel' },
};
const incomplete = {
  experienceId: 'exp_late_line',
  slug: 'late-line',
  title: 'The Late Line',
  sortOrder: 70,
  updatedAt: '2026-03-02T18:05:30.250Z',
  catalogReady: false,
  avatarId: null,
  thumbnailPath: null,
  galleryThumb: null,
  discoveryTags: [],
};

export const notModified = { description: 'The cached copy is current.', headers: etag };
export const ofTheCatalog = ['API_KEY_INVALID', 'PROJECT_FORBIDDEN', 'INTERNAL', 'UNAVAILABLE'] as const;

export const listOperation: Operation = {
  operationId: 'listExperiences',
  method: 'get',
  path: '/v1/projects/{projectId}/experiences',
  tag,
  summary: 'List the published experiences of a project',
  description:
    'Returns the whole catalog in creator-defined order. Any valid key of the project may read it; no scope is required. The id of another project gets 403, whether or not that project exists.',
  caller: 'api-key',
  params: Type.Object({ projectId }),
  headers,
  answers: {
    200: jsonAnswer(
      'The catalog.',
      catalogListSchema,
      {
        catalog: {
          summary: 'Two experiences, one of them without gallery fields',
          value: { experiences: [complete, incomplete] },
        },
      },
      etag,
    ),
    304: notModified,
  },
  errors: ofTheCatalog,
  everyAnswer: revalidated,
};

export const entryOperation: Operation = {
  operationId: 'getExperience',
  method: 'get',
  path: '/v1/projects/{projectId}/experiences/{slug}',
  tag,
  summary: 'Look up a published experience by its slug',
  description:
    'Returns one catalog entry. Slugs are unique within a project only; create sessions with `experienceId`, not with the slug.',
  caller: 'api-key',
  params: Type.Object({ projectId, slug }),
  headers,
  answers: {
    200: jsonAnswer(
      'The catalog entry.',
      catalogEntrySchema,
      { entry: { summary: 'Ready for a gallery', value: complete } },
      etag,
    ),
    304: notModified,
  },
  errors: [...ofTheCatalog, 'EXPERIENCE_NOT_FOUND'],
  everyAnswer: revalidated,
};
