import type { Static } from 'typebox';
import { notStored } from '../headers.ts';
import type { Bodies, Operation } from '../operation.ts';
import { projectFileSchema } from '../project-file/schema.ts';
import Type from '../type.ts';
import { always, ofAProject } from './errors.ts';

const tag = 'Projects';

export const projectParams = Type.Object({
  projectId: Type.String({ description: 'Id of the project.', examples: ['prj_demo'] }),
});

export const projectListSchema = Type.Object(
  {
    projects: Type.Array(
      Type.Object(
        {
          projectId: Type.String({ description: 'Id of the project.', examples: ['prj_demo'] }),
          name: Type.String({ description: 'What people call it.', examples: ['Demo'] }),
          browserEmbeds: Type.Boolean({ description: 'Whether browsers may launch without a key.' }),
          experiences: Type.Integer({ minimum: 0, description: 'How many experiences it has.' }),
        },
        { description: 'A project in brief.' },
      ),
      { description: 'By id.' },
    ),
  },
  { $id: 'ProjectList', description: 'Every project of the service.' },
);

export type ProjectList = Static<typeof projectListSchema>;

const appliedChange = Type.Object(
  {
    kind: Type.Enum(['project', 'experience'], { description: 'What it is.' }),
    id: Type.String({ description: 'Its id.', examples: ['exp_harbor_guide'] }),
    change: Type.Enum(['created', 'updated', 'unchanged'], { description: 'What the file did to it.' }),
    revision: Type.Optional(Type.Integer({ minimum: 1, description: 'Newest revision of an experience.' })),
    newRevision: Type.Optional(Type.Boolean({ description: 'True when the file made that revision.' })),
  },
  { description: 'What became of one part of the file.' },
);

export const appliedSchema = Type.Object(
  {
    projectId: Type.String({ description: 'The project of the file.', examples: ['prj_demo'] }),
    changed: Type.Boolean({ description: 'False when everything was as the file says already.' }),
    changes: Type.Array(appliedChange, { description: 'The project, then its experiences.' }),
  },
  { $id: 'Applied', description: 'What applying a project file did.' },
);

export type AppliedChange = Static<typeof appliedChange>;
export type Applied = Static<typeof appliedSchema>;

/** One thing that is wrong with a project file: where, and what to do. Lines and columns count from 1. */
export const problemSchema = Type.Object(
  {
    line: Type.Optional(Type.Integer({ minimum: 1, description: 'Line in the file.' })),
    column: Type.Optional(Type.Integer({ minimum: 1, description: 'Column in that line.' })),
    path: Type.String({ description: 'The field, such as experiences[1].slug. Empty for the whole file.' }),
    message: Type.String({ description: 'What is wrong, and what to do about it.' }),
  },
  { description: 'One problem of a project file.' },
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

const projectFileBodies: Bodies = {
  'application/json': {
    schema: Type.Ref('ProjectFile#'),
    examples: { smallest: { summary: 'A draft', value: smallest } },
  },
  'application/yaml': {
    schema: Type.String(),
    examples: { project: { value: 'project: { id: prj_demo, name: Demo }\n' } },
  },
};

/** The same schema that editors use, as a part of the document. */
export const projectFileComponent = { ...projectFileSchema, $id: 'ProjectFile' } as typeof projectFileSchema;

export const listProjectsOperation: Operation = {
  operationId: 'listProjects',
  method: 'get',
  path: '/admin/projects',
  tag,
  summary: 'List the projects',
  description: 'All of them, by id.',
  caller: 'admin-token',
  answers: {
    200: {
      description: 'The projects.',
      headers: {},
      content: {
        schema: Type.Ref('ProjectList#'),
        examples: {
          demo: {
            value: {
              projects: [{ projectId: 'prj_demo', name: 'Demo', browserEmbeds: true, experiences: 8 }],
            },
          },
        },
      },
    },
  },
  errors: always,
  everyAnswer: notStored,
};

export const applyOperation: Operation = {
  operationId: 'applyProjectFile',
  method: 'post',
  path: '/admin/projects',
  tag,
  summary: 'Apply a project file',
  description:
    'Creates or updates one project as its file says, all of it or nothing. An experience that the file leaves out is left alone; applying the same file again changes nothing. A media type with `json` in its name is read as JSON, every other one as YAML, of which JSON is a part.',
  caller: 'admin-token',
  bodies: projectFileBodies,
  answers: {
    200: {
      description: 'It is applied.',
      headers: {},
      content: {
        schema: Type.Ref('Applied#'),
        examples: {
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
        },
      },
    },
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
  everyAnswer: notStored,
};

export const exportOperation: Operation = {
  operationId: 'getProjectFile',
  method: 'get',
  path: '/admin/projects/{projectId}',
  tag,
  summary: 'Read a project as a file',
  description: 'What applies again as no change. YAML when `Accept` names it, JSON otherwise.',
  caller: 'admin-token',
  params: projectParams,
  answers: { 200: { description: 'The project file.', headers: {}, bodies: projectFileBodies } },
  errors: ofAProject,
  everyAnswer: notStored,
};
