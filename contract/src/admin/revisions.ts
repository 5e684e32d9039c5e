import { optional } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { optionalVersionHeaders, versionEtag, versionHeaders } from './changes.ts';
import { conflict, exampleExperience, exampleState } from './experience-examples.ts';
import {
  changeListSchema,
  experienceParams,
  experienceSchema,
  experienceStateSchema,
  publicationSchema,
  revisionListSchema,
} from './experience-schemas.ts';
import { tag } from './experiences.ts';

const stateAnswer = (description: string) => ({
  200: jsonAnswer(description, experienceStateSchema, { state: { value: exampleState } }, versionEtag),
});

export const publishExperienceOperation = {
  operationId: 'publishExperience',
  method: 'post',
  path: '/admin/experiences/{experienceId}/publish',
  tag,
  summary: 'Publish a revision',
  description:
    'Makes a revision live, the newest or an older one. An archived experience becomes available again. Publishing the published revision changes nothing. The note becomes that of the revision, unless the revision was saved with one.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'experience.publish',
  isVersioned: true,
  headers: versionHeaders,
  params: experienceParams,
  body: {
    schema: publicationSchema,
    examples: { older: { value: { revision: 2, note: 'Back to the long greeting' } } },
    isOptional: true,
  },
  answers: stateAnswer('The revision is published.'),
  errors: ['REVISION_NOT_FOUND', 'SLUG_TAKEN'],
  errorExamples: conflict,
} satisfies Operation;

export const unpublishExperienceOperation = {
  operationId: 'unpublishExperience',
  method: 'post',
  path: '/admin/experiences/{experienceId}/unpublish',
  tag,
  summary: 'Unpublish an experience',
  description:
    'Makes the experience a draft: it leaves the catalog, and only test keys can launch it. No body is needed.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'experience.unpublish',
  isVersioned: true,
  headers: versionHeaders,
  params: experienceParams,
  answers: stateAnswer('The experience is a draft.'),
  errorExamples: conflict,
} satisfies Operation;

export const archiveExperienceOperation = {
  operationId: 'archiveExperience',
  method: 'post',
  path: '/admin/experiences/{experienceId}/archive',
  tag,
  summary: 'Archive an experience',
  description: 'An archived experience cannot be launched. Publishing it brings it back. No body is needed.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'experience.archive',
  isVersioned: true,
  headers: versionHeaders,
  params: experienceParams,
  answers: stateAnswer('The experience is archived.'),
  errorExamples: conflict,
} satisfies Operation;

export const deleteExperienceOperation = {
  operationId: 'deleteExperience',
  method: 'delete',
  path: '/admin/experiences/{experienceId}',
  tag,
  summary: 'Delete an experience',
  description:
    'Deletes an experience and its revisions if no session of it was ever launched. Otherwise archive it. With If-Match, it is deleted only if it has not been changed since that version.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'experience.delete',
  isVersioned: 'if sent',
  headers: optionalVersionHeaders,
  params: experienceParams,
  answers: { 204: { description: 'The experience has been deleted.' } },
  errors: ['EXPERIENCE_IN_USE'],
  errorExamples: conflict,
} satisfies Operation;

const revisionParams = Type.Object({
  ...experienceParams.properties,
  revision: Type.String({
    pattern: '^[1-9]\\d{0,8}$',
    errorMessage: 'must be the number of a revision',
    description: 'Number of the revision.',
    examples: ['2'],
  }),
});

export const listRevisionsOperation = {
  operationId: 'listRevisions',
  method: 'get',
  path: '/admin/experiences/{experienceId}/revisions',
  tag,
  summary: 'List the revisions of an experience',
  description: 'Newest first, without their content.',
  caller: 'operator',
  permission: 'read',
  params: experienceParams,
  answers: {
    200: jsonAnswer('The revisions.', revisionListSchema, {
      one: {
        value: {
          revisions: [
            {
              revision: 1,
              createdAt: '2026-03-01T09:30:00.000Z',
              createdBy: 'Ada',
              published: true,
              sessions: 12,
            },
          ],
        },
      },
    }),
  },
} satisfies Operation;

export const readRevisionOperation = {
  operationId: 'getRevision',
  method: 'get',
  path: '/admin/experiences/{experienceId}/revisions/{revision}',
  tag,
  summary: 'Read a revision',
  description:
    'Returns the experience with the `slug`, `title` and `runtime` of this revision. All other fields are settings, which have no revisions: they are the current ones.',
  caller: 'operator',
  permission: 'read',
  params: revisionParams,
  answers: {
    200: jsonAnswer('The document.', experienceSchema, { first: { value: exampleExperience } }),
  },
  errors: ['REVISION_NOT_FOUND'],
} satisfies Operation;

export const compareRevisionsOperation = {
  operationId: 'compareRevisions',
  method: 'get',
  path: '/admin/experiences/{experienceId}/revisions/{revision}/changes',
  tag,
  summary: 'Compare two revisions',
  description: 'Returns the differences of `slug`, `title` and `runtime` from another revision to this one.',
  caller: 'operator',
  permission: 'read',
  params: revisionParams,
  query: Type.Object({
    from: optional.string({
      pattern: '^[1-9]\\d{0,8}$',
      errorMessage: 'must be the number of a revision',
      description:
        'The revision to compare with. Default: the one before. The first revision is compared with nothing.',
      examples: ['1'],
    }),
  }),
  answers: {
    200: jsonAnswer('The differences.', changeListSchema, {
      title: { value: { changes: [{ path: 'title', before: 'Café', after: 'Café in Lisbon' }] } },
    }),
  },
  errors: ['REVISION_NOT_FOUND'],
} satisfies Operation;

export const operations: readonly Operation[] = [
  publishExperienceOperation,
  unpublishExperienceOperation,
  archiveExperienceOperation,
  deleteExperienceOperation,
  listRevisionsOperation,
  readRevisionOperation,
  compareRevisionsOperation,
];
