import { etag, revalidated } from './headers.ts';
import type { Operation } from './operation.ts';
import Type from './type.ts';

const tag = 'Catalog';
const projectId = Type.String({ description: 'The project of the API key.', examples: ['prj_demo'] });
const slug = Type.String({ description: 'Slug of the experience.', examples: ['harbor-guide'] });
const headers = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description: 'The ETag of the copy you have. While it still holds, the answer is 304 without a body.',
      examples: ['"b3nq1Zt0Qw8mYc2kVt5xR7uLh9s"'],
    }),
  ),
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

const notModified = { description: 'Your copy still holds.', headers: etag };
const errors = ['API_KEY_INVALID', 'PROJECT_FORBIDDEN', 'INTERNAL', 'UNAVAILABLE'] as const;

export const listOperation: Operation = {
  operationId: 'listExperiences',
  method: 'get',
  path: '/v1/projects/{projectId}/experiences',
  tag,
  summary: 'List the published experiences of a project',
  description:
    'The whole catalog in one answer, in the order its creators gave it. Every valid key of the project opens it; no scope is asked for. Whether another project exists is not told: its id is refused with 403 either way.',
  caller: 'api-key',
  params: Type.Object({ projectId }),
  headers,
  answers: {
    200: {
      description: 'The catalog.',
      headers: etag,
      content: {
        schema: Type.Ref('CatalogList#'),
        examples: {
          catalog: {
            summary: 'Two experiences, one of them without gallery fields',
            value: { experiences: [complete, incomplete] },
          },
        },
      },
    },
    304: notModified,
  },
  errors,
  everyAnswer: revalidated,
};

export const entryOperation: Operation = {
  operationId: 'getExperience',
  method: 'get',
  path: '/v1/projects/{projectId}/experiences/{slug}',
  tag,
  summary: 'Look up a published experience by its slug',
  description:
    'One entry of the catalog. Slugs are unique inside a project only, and sessions are minted with `experienceId`, never with the slug.',
  caller: 'api-key',
  params: Type.Object({ projectId, slug }),
  headers,
  answers: {
    200: {
      description: 'The catalog entry.',
      headers: etag,
      content: {
        schema: Type.Ref('CatalogEntry#'),
        examples: { entry: { summary: 'Ready for a gallery', value: complete } },
      },
    },
    304: notModified,
  },
  errors: [...errors, 'EXPERIENCE_NOT_FOUND'],
  everyAnswer: revalidated,
};
