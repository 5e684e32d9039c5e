import type { Static } from 'typebox';
import { id, optional, timestamp } from '../fields.ts';
import { optionalLocale } from '../mint-requests.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import { revision } from '../session.ts';
import Type from '../type.ts';

export const tag = { name: 'Previews', description: 'Links to talk to one revision, drafts included.' };

export const previewDefaults = { expiresInSeconds: 3_600, maxSessions: 50 } as const;

const experienceParams = Type.Object({
  experienceId: id('exp', 'Id of the experience.', 'exp_harbor_guide'),
});

export const previewRequestSchema = Type.Object(
  {
    revision: optional.integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The revision to preview. Default: the newest one, published or not.',
    }),
    expiresInSeconds: optional.integer({
      minimum: 60,
      maximum: 604_800,
      default: previewDefaults.expiresInSeconds,
      description: 'How long the link can be used, in seconds.',
    }),
    maxSessions: optional.integer({
      minimum: 1,
      maximum: 10_000,
      default: previewDefaults.maxSessions,
      description: 'How many sessions the link can start.',
    }),
    locale: optionalLocale('Language of the user, unless the page requests another.'),
    secondaryLocale: optionalLocale(
      'The paired language of a dual experience, unless the page requests another.',
    ),
  },
  {
    $id: 'PreviewRequest',
    additionalProperties: false,
    description: 'The request to create a preview link.',
  },
);

export type PreviewRequest = Static<typeof previewRequestSchema>;

const previewId = Type.String({ pattern: '^pvw_', description: 'Id of the preview.' });
const expiresAt = timestamp('When the link stops working.');

export const createdPreviewSchema = Type.Object(
  {
    previewId,
    url: Type.String({
      description: 'The link. It contains a secret code, which is shown only this once.',
      examples: ['https://launch.example.com/preview/#Zm9yIHRoZSBkb2N1bWVudGF0aW9u'],
    }),
    expiresAt,
  },
  { $id: 'CreatedPreview', description: 'A new preview link.' },
);

export const previewSchema = Type.Object(
  {
    previewId,
    revision,
    createdAt: timestamp('When the link was created.'),
    createdBy: Type.String({ description: 'Name of the operator who created it.', examples: ['Ines'] }),
    expiresAt,
    maxSessions: Type.Integer({ minimum: 1, description: 'How many sessions the link can start.' }),
    sessions: Type.Integer({ minimum: 0, description: 'How many sessions it has started.' }),
    locale: optional.string({ description: 'Language of the user, if the link sets one.' }),
    secondaryLocale: optional.string({ description: 'The paired language, if the link sets one.' }),
  },
  { $id: 'Preview', description: 'A preview link, without its code.' },
);

export const previewListSchema = Type.Object(
  {
    previews: Type.Array(previewSchema, {
      description: 'Links that have not expired, newest first; at most 500.',
    }),
  },
  { $id: 'PreviewList', description: 'The preview links of an experience.' },
);

export type PreviewRecord = Static<typeof previewSchema>;

const examplePreviewId = 'pvw_01kb2x7m9defgt4zq8s6w3n5vh';

export const createPreviewOperation = {
  operationId: 'createPreview',
  method: 'post',
  path: '/admin/experiences/{experienceId}/previews',
  tag,
  summary: 'Create a preview link',
  description:
    'The link opens a page on which one exact revision of the experience can be talked to, whether it is published or not. Anyone with the link can use it until it expires, is used up or is deleted. The service stores only a hash of its code.\n\nSessions from a link have the source `preview` and are not live. The limits of the project do not apply to them; a link starts at most 20 sessions a minute.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'preview.create',
  params: experienceParams,
  body: {
    schema: previewRequestSchema,
    examples: {
      newest: { summary: 'The newest revision, for an hour', value: {} },
      shared: {
        summary: 'One revision, for a week',
        value: { revision: 3, expiresInSeconds: 604_800, maxSessions: 200, locale: 'pt-BR' },
      },
    },
  },
  answers: {
    201: jsonAnswer('The link.', createdPreviewSchema, {
      created: {
        value: {
          previewId: examplePreviewId,
          url: 'https://launch.example.com/preview/#Zm9yIHRoZSBkb2N1bWVudGF0aW9u',
          expiresAt: '2026-03-01T10:30:00.000Z',
        },
      },
    }),
  },
  errors: ['REVISION_NOT_FOUND'],
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: expiresInSeconds must be at least 60.',
      details: [{ path: 'expiresInSeconds', message: 'must be at least 60' }],
    },
  },
} satisfies Operation;

export const listPreviewsOperation = {
  operationId: 'listPreviews',
  method: 'get',
  path: '/admin/experiences/{experienceId}/previews',
  tag,
  summary: 'List the preview links of an experience',
  description: 'Returns the links that have not expired, without their codes.',
  caller: 'operator',
  permission: 'read',
  params: experienceParams,
  answers: {
    200: jsonAnswer('The links.', previewListSchema, {
      one: {
        value: {
          previews: [
            {
              previewId: examplePreviewId,
              revision: 3,
              createdAt: '2026-03-01T09:30:00.000Z',
              createdBy: 'Ines',
              expiresAt: '2026-03-01T10:30:00.000Z',
              maxSessions: 50,
              sessions: 2,
              locale: 'pt-BR',
            },
          ],
        },
      },
    }),
  },
} satisfies Operation;

export const deletePreviewOperation = {
  operationId: 'deletePreview',
  method: 'delete',
  path: '/admin/previews/{previewId}',
  tag,
  summary: 'Delete a preview link',
  description: 'The link starts no further session, in any process. Sessions that it has started go on.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'preview.delete',
  params: Type.Object({ previewId: id('pvw', 'Id of the preview.', examplePreviewId) }),
  answers: { 204: { description: 'The link is deleted.' } },
} satisfies Operation;

export const operations: readonly Operation[] = [
  createPreviewOperation,
  listPreviewsOperation,
  deletePreviewOperation,
];
