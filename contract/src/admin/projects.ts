import type { Static } from 'typebox';
import { id, optional } from '../fields.ts';
import { type Bodies, jsonAnswer, type Operation } from '../operation.ts';
import { projectFileSchema } from '../project-file/schema.ts';
import Type from '../type.ts';
import { always, ofAProject } from './errors.ts';

const tag = 'Projects';

export const projectParams = Type.Object({
  projectId: id('prj', 'Id of the project.', 'prj_demo'),
});

export const projectListSchema = Type.Object(
  {
    projects: Type.Array(
      Type.Object(
        {
          projectId: Type.String({ description: 'Id of the project.', examples: ['prj_demo'] }),
          name: Type.String({ description: 'Display name.', examples: ['Demo'] }),
          browserEmbeds: Type.Boolean({ description: 'Whether pages may create sessions without a key.' }),
          experiences: Type.Integer({ minimum: 0, description: 'Number of experiences.' }),
        },
        { description: 'Summary of a project.' },
      ),
      { description: 'Sorted by id.' },
    ),
  },
  { $id: 'ProjectList', description: 'Every project of the service.' },
);

export type ProjectList = Static<typeof projectListSchema>;

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
    changes: Type.Array(appliedChange, { description: 'The project, then its experiences.' }),
  },
  { $id: 'Applied', description: 'The result of applying a project file.' },
);

export type AppliedChange = Static<typeof appliedChange>;
export type Applied = Static<typeof appliedSchema>;

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

const smallest = {
  project: { id: 'prj_demo', name: 'Demo' },
  experiences: [
    {
      id: 'exp_cafe',
      slug: 'cafe',
      title: 'Café in Lisbon',
      runtime: {
        characters: [{ characterId: 'ines', name: 'Inês' }],
        transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
      },
    },
  ],
};

/** The schema that editors use, as a component of the document. */
const projectFileComponent = { ...projectFileSchema, $id: 'ProjectFile' } as typeof projectFileSchema;

const projectFileBodies: Bodies = {
  'application/json': {
    schema: projectFileComponent,
    examples: { smallest: { summary: 'A draft', value: smallest } },
  },
  'application/yaml': {
    schema: Type.String(),
    examples: { project: { value: 'project: { id: prj_demo, name: Demo }\n' } },
  },
};

export const listProjectsOperation = {
  operationId: 'listProjects',
  method: 'get',
  path: '/admin/projects',
  tag,
  summary: 'List the projects',
  description: 'Returns all projects, sorted by id.',
  caller: 'admin-token',
  answers: {
    200: jsonAnswer('The projects.', projectListSchema, {
      demo: {
        value: {
          projects: [{ projectId: 'prj_demo', name: 'Demo', browserEmbeds: true, experiences: 8 }],
        },
      },
    }),
  },
  errors: always,
} satisfies Operation;

export const applyOperation = {
  operationId: 'applyProjectFile',
  method: 'post',
  path: '/admin/projects',
  tag,
  summary: 'Apply a project file',
  description:
    'Creates or updates one project atomically. Experiences that the file omits are left unchanged; applying the same file again changes nothing. A media type that contains `json` is parsed as JSON, any other as YAML, which includes JSON.',
  caller: 'admin-token',
  bodies: projectFileBodies,
  answers: {
    200: jsonAnswer('The file has been applied.', appliedSchema, {
      created: {
        value: {
          projectId: 'prj_demo',
          changed: true,
          changes: [
            { kind: 'project', id: 'prj_demo', change: 'created' },
            { kind: 'experience', id: 'exp_cafe', change: 'created', revision: 1, newRevision: true },
          ],
        },
      },
    }),
  },
  errors: ['PROJECT_FILE_INVALID', 'PAYLOAD_TOO_LARGE', ...always],
  errorExamples: {
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
    PAYLOAD_TOO_LARGE: { message: 'The request body is larger than 4 MiB.' },
  },
} satisfies Operation;

export const exportOperation = {
  operationId: 'getProjectFile',
  method: 'get',
  path: '/admin/projects/{projectId}',
  tag,
  summary: 'Read a project as a file',
  description:
    'Returns the project as a project file; applying that file changes nothing. The format is YAML if `Accept` names it, JSON otherwise.',
  caller: 'admin-token',
  params: projectParams,
  answers: { 200: { description: 'The project file.', bodies: projectFileBodies } },
  errors: ofAProject,
} satisfies Operation;
