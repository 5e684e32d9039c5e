import { optional } from '../fields.ts';
import { type Bodies, jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { versionEtag, versionHeaders } from './changes.ts';
import { tooLargeToWrite } from './errors.ts';
import {
  conflict,
  exampleExperience,
  exampleState,
  invalidDocument,
  ofDocuments,
} from './experience-examples.ts';
import {
  experienceListSchema,
  experienceParams,
  experienceStateSchema,
  newExperienceSchema,
  orderedSchema,
  orderSchema,
  savedExperienceSchema,
  saveResultSchema,
} from './experience-schemas.ts';
import { projectParams } from './projects.ts';

export const tag = { name: 'Experiences', description: 'Edit, publish and order experiences.' };
const { slug, title, runtime } = exampleExperience;

export const listExperiencesOperation = {
  operationId: 'listExperiences',
  method: 'get',
  path: '/admin/projects/{projectId}/experiences',
  tag,
  summary: 'List the experiences of a project',
  description:
    'Returns all experiences in the order of the catalog. The ETag is the version of the project, which `PUT …/order` needs.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  answers: {
    200: jsonAnswer(
      'The experiences.',
      experienceListSchema,
      {
        one: {
          value: {
            experiences: [
              {
                experienceId: 'exp_cafe',
                slug,
                title,
                sortOrder: 10,
                status: 'published',
                public: false,
                version: 5,
                latestRevision: 3,
                publishedRevision: 2,
                hasDraft: true,
                catalogReady: false,
                catalogMissing: ['galleryThumb'],
                sessionsToday: 12,
                managedBy: 'console',
                updatedAt: '2026-03-01T09:30:00.000Z',
                updatedBy: 'Ada',
              },
            ],
            version: 2,
          },
        },
      },
      versionEtag,
    ),
  },
} satisfies Operation;

export const createExperienceOperation = {
  operationId: 'createExperience',
  method: 'post',
  path: '/admin/projects/{projectId}/experiences',
  tag,
  summary: 'Create an experience',
  description:
    'Creates an experience with its first revision. Without `id` the service chooses one; without `sortOrder` the experience comes last. With `status: published` the revision is published at once.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'experience.create',
  params: projectParams,
  body: {
    schema: newExperienceSchema,
    examples: { smallest: { value: { experience: { slug, title, runtime } } } },
  },
  answers: {
    201: jsonAnswer(
      'The experience.',
      experienceStateSchema,
      { draft: { value: exampleState } },
      versionEtag,
    ),
  },
  errors: ofDocuments,
  errorExamples: { ...invalidDocument },
} satisfies Operation;

export const orderExperiencesOperation = {
  operationId: 'orderExperiences',
  method: 'put',
  path: '/admin/projects/{projectId}/order',
  tag,
  summary: 'Order the experiences of a project',
  description:
    'Puts the experiences into this order and changes the `sortOrder` of as few of them as possible. If-Match is the version of the project.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'experience.order',
  isVersioned: true,
  headers: versionHeaders,
  params: projectParams,
  body: {
    schema: orderSchema,
    examples: { two: { value: { experienceIds: ['exp_cafe', 'exp_harbor_guide'] } } },
  },
  answers: {
    200: jsonAnswer(
      'The experiences are in this order.',
      orderedSchema,
      { moved: { value: { version: 3, moved: [{ experienceId: 'exp_cafe', sortOrder: -10 }] } } },
      versionEtag,
    ),
  },
  errorExamples: {
    ...conflict,
    INVALID_REQUEST: {
      message: 'The request is not valid: experienceIds[1] is not an experience of this project.',
      details: [{ path: 'experienceIds[1]', message: 'is not an experience of this project' }],
    },
  },
} satisfies Operation;

const asYaml: Bodies = {
  'application/yaml': {
    schema: Type.String(),
    examples: { document: { value: 'id: exp_cafe\nslug: cafe\n' } },
  },
};

export const readExperienceOperation = {
  operationId: 'getExperience',
  method: 'get',
  path: '/admin/experiences/{experienceId}',
  tag,
  summary: 'Read an experience',
  description:
    'Returns the newest revision with the current settings, and the published revision. With `format=yaml` the response is the newest revision as YAML text, in the format of the list `experiences` of a project file.',
  caller: 'operator',
  permission: 'read',
  params: experienceParams,
  query: Type.Object({
    format: optional.oneOf(['json', 'yaml'], { description: 'Format of the response. Default: json.' }),
  }),
  answers: {
    200: {
      ...jsonAnswer(
        'The experience.',
        experienceStateSchema,
        { draft: { value: exampleState } },
        versionEtag,
      ),
      bodies: asYaml,
    },
  },
  errors: ['PAYLOAD_TOO_LARGE'],
  errorExamples: { PAYLOAD_TOO_LARGE: tooLargeToWrite },
} satisfies Operation;

export const saveExperienceOperation = {
  operationId: 'saveExperience',
  method: 'put',
  path: '/admin/experiences/{experienceId}',
  tag,
  summary: 'Save an experience',
  description:
    'Replaces the document. A changed `slug`, `title` or `runtime` makes a revision that is not live until it is published; all other fields are live at once. `status` must stay what it is: publish, unpublish or archive the experience instead. A document that changes nothing changes no version. With `plan=true` nothing is written, and the permission to read is enough.',
  caller: 'operator',
  permission: 'read',
  furtherPermissions: [
    {
      permission: 'edit-experiences',
      when: 'plan is not true',
      appliesTo: (_body, query) => (query as { plan?: string } | undefined)?.plan !== 'true',
    },
  ],
  action: 'experience.save',
  isVersioned: true,
  headers: versionHeaders,
  params: experienceParams,
  query: Type.Object({
    plan: optional.oneOf(['true', 'false'], {
      description: 'With true, the response lists what would change, and nothing is written.',
    }),
  }),
  body: {
    schema: savedExperienceSchema,
    examples: { title: { value: { experience: exampleExperience, note: 'Shorter greeting' } } },
  },
  answers: {
    200: jsonAnswer(
      'The experience has been saved, or would be.',
      saveResultSchema,
      {
        draft: {
          value: {
            experience: exampleExperience,
            version: 2,
            latestRevision: 2,
            newRevision: true,
            changes: [{ path: 'title', before: 'Café', after: 'Café in Lisbon' }],
          },
        },
      },
      versionEtag,
    ),
  },
  errors: ofDocuments,
  errorExamples: { ...invalidDocument, ...conflict },
} satisfies Operation;

export const operations: readonly Operation[] = [
  listExperiencesOperation,
  createExperienceOperation,
  orderExperiencesOperation,
  readExperienceOperation,
  saveExperienceOperation,
];
