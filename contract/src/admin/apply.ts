import type { Static } from 'typebox';
import { optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { changeSchema } from './changes.ts';
import { projectFileBodies, tag } from './projects.ts';

const projectVersion = (description: string) => Type.Integer({ minimum: 0, description, examples: [3] });

const overwrote = Type.Array(
  Type.Object({
    experienceId: optional.string({
      description: 'The experience. Absent for a setting of the project.',
      examples: ['exp_cafe'],
    }),
    path: Type.String({
      description: 'The field of the experience or of the project.',
      examples: ['title'],
    }),
    by: Type.String({ description: 'Name of the operator who had changed it last.', examples: ['Ada'] }),
    at: timestamp('When the operator had changed it.'),
  }),
  {
    description:
      'Values that operators had changed without a file, after a file last changed that experience or project, and that this file changes again.',
  },
);

const appliedChange = Type.Object(
  {
    kind: Type.Enum(['project', 'experience'], { description: 'The kind of resource.' }),
    id: Type.String({ description: 'Id of the resource.', examples: ['exp_harbor_guide'] }),
    change: Type.Enum(['created', 'updated', 'unchanged'], {
      description: 'How applying the file changed it.',
    }),
    revision: optional.integer({ minimum: 1, description: 'Newest revision of an experience.' }),
    newRevision: optional.boolean({ description: 'True if applying the file created that revision.' }),
  },
  { description: 'The result for one resource of the file.' },
);

export const appliedSchema = Type.Object(
  {
    projectId: Type.String({ description: 'The project of the file.', examples: ['prj_demo'] }),
    changed: Type.Boolean({ description: 'False if the stored project already matched the file.' }),
    version: projectVersion('Version of the project after this.'),
    changes: Type.Array(appliedChange, { description: 'The project, then its experiences.' }),
    pendingDrafts: Type.Array(
      Type.Object({
        experienceId: Type.String({ description: 'The experience.', examples: ['exp_cafe'] }),
        revision: Type.Integer({ minimum: 1, description: 'The draft.' }),
      }),
      {
        description:
          'Drafts that were newer than the published revision and that the file does not contain. They stay in the history of their experiences.',
      },
    ),
    overwrote,
  },
  { $id: 'Applied', description: 'The result of applying a project file.' },
);

export type AppliedChange = Static<typeof appliedChange>;
export type Applied = Static<typeof appliedSchema>;

export const plannedSchema = Type.Object(
  {
    projectId: Type.String({ description: 'The project of the file.', examples: ['prj_demo'] }),
    version: projectVersion('Present version of the project. 0: there is no such project yet.'),
    changes: Type.Array(changeSchema, {
      description:
        'What would change. Paths start with project, or with the experience, as in experiences[exp_cafe].title.',
    }),
    newRevisions: Type.Array(
      Type.Object({
        experienceId: Type.String({ description: 'The experience.', examples: ['exp_cafe'] }),
        revision: Type.Integer({ minimum: 1, description: 'Number of the new revision.' }),
        publishes: Type.Boolean({ description: 'Whether that revision would be published.' }),
      }),
      { description: 'The revisions that applying the file would create.' },
    ),
    overwrote,
  },
  { $id: 'PlannedApply', description: 'What applying a project file would change.' },
);

export type Planned = Static<typeof plannedSchema>;
export type Overwritten = Static<typeof overwrote>[number];

/** One problem in a project file: its position and how to fix it. Lines and columns count from 1. */
export const problemSchema = Type.Object(
  {
    line: optional.integer({ minimum: 1, description: 'Line in the file.' }),
    column: optional.integer({ minimum: 1, description: 'Column in that line.' }),
    path: Type.String({ description: 'The field, such as experiences[1].slug. Empty for the whole file.' }),
    message: Type.String({ description: 'The problem and how to fix it.' }),
  },
  { description: 'One problem in a project file.' },
);

export type ProjectFileProblem = Static<typeof problemSchema>;

const applyQuery = Type.Object(
  {
    plan: optional.oneOf(['true', 'false'], {
      description: 'With true: returns what the file would change, and changes nothing.',
      examples: ['true'],
    }),
    source: optional.string({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      errorMessage: 'must have 1 to 200 characters and no control character',
      description: 'A label of the file, shown to people who edit what it describes.',
      examples: ['shop.yaml@3f2c1'],
    }),
    expect: optional.string({
      pattern: '^\\d{1,9}$',
      errorMessage: 'must be a whole number',
      description:
        'The version of the project that the file is based on; 0 for a project that does not exist yet. If the project has another version, or if the file would overwrite values that operators have changed, the answer is 412 and nothing is changed.',
      examples: ['3'],
    }),
  },
  { additionalProperties: false },
);

export type ApplyQuery = Static<typeof applyQuery>;

const applyAnswer = Type.Union([appliedSchema, plannedSchema]);

export const applyOperation = {
  operationId: 'applyProjectFile',
  method: 'post',
  path: '/admin/projects',
  tag,
  summary: 'Apply a project file',
  description: [
    'Creates or updates one project atomically. Experiences that the file omits are left unchanged; applying the same file again changes nothing. A media type that contains `json` is parsed as JSON, any other as YAML, which includes JSON.',
    'An experience with `status: published` is compared with its published revision: if slug, title or runtime differ, the file creates a revision and publishes it. With another status it is compared with the newest revision and is not published afterwards.',
    'With `plan=true` the answer says what the file would change, and nothing is changed.',
  ].join('\n\n'),
  caller: 'operator',
  permission: 'read',
  furtherPermissions: [
    {
      permission: 'manage-projects',
      when: 'the request is not a plan',
      appliesTo: (_body, query) => (query as ApplyQuery).plan !== 'true',
    },
  ],
  action: 'project.apply',
  query: applyQuery,
  bodies: projectFileBodies,
  answers: {
    200: jsonAnswer('What applying the file has changed, or would change.', applyAnswer, {
      created: {
        value: {
          projectId: 'prj_demo',
          changed: true,
          version: 1,
          changes: [
            { kind: 'project', id: 'prj_demo', change: 'created' },
            { kind: 'experience', id: 'exp_cafe', change: 'created', revision: 1, newRevision: true },
          ],
          pendingDrafts: [],
          overwrote: [],
        },
      },
      plan: {
        summary: 'With plan=true',
        value: {
          projectId: 'prj_demo',
          version: 3,
          changes: [
            { path: 'experiences[exp_cafe].title', before: 'Coffee in Lisbon', after: 'Café in Lisbon' },
          ],
          newRevisions: [{ experienceId: 'exp_cafe', revision: 5, publishes: true }],
          overwrote: [{ experienceId: 'exp_cafe', path: 'title', by: 'Ada', at: '2026-03-01T09:30:00.000Z' }],
        },
      },
    }),
  },
  errors: ['INVALID_REQUEST', 'PROJECT_FILE_INVALID', 'PROJECT_NOT_FOUND', 'VERSION_CONFLICT'],
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: expect must be a whole number.',
      details: [{ path: 'expect', message: 'must be a whole number' }],
    },
    PROJECT_FILE_INVALID: {
      message: 'The project file has a problem: experiences[0].slug is missing.',
      details: [
        {
          line: 4,
          column: 5,
          path: 'experiences[0]',
          message: 'needs the field "slug"; add for example slug: cafe',
        },
      ],
    },
  },
} satisfies Operation;

export const operations: readonly Operation[] = [applyOperation];
