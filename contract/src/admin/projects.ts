import type { Static } from 'typebox';
import { id, optional } from '../fields.ts';
import { type Bodies, jsonAnswer, type Operation } from '../operation.ts';
import { stored } from '../project-file/fields.ts';
import { projectFileSchema } from '../project-file/schema.ts';
import Type from '../type.ts';
import { versionEtag } from './changes.ts';
import { tooLargeToWrite } from './errors.ts';
import { experienceSchema } from './experience-schemas.ts';

export const tag = { name: 'Projects', description: 'Apply and export project files.' };

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
  { $id: 'ProjectList', description: 'The projects of the service.' },
);

export type ProjectList = Static<typeof projectListSchema>;

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

const { project, experiences } = projectFileSchema.properties;

/** The settings of a project, as in its project file. */
export const projectSchema = { ...stored(project), $id: 'Project' } as typeof project;

/** The schema that editors use, as components of the document. */
const projectFileComponent = {
  ...projectFileSchema,
  $id: 'ProjectFile',
  properties: {
    ...projectFileSchema.properties,
    project: projectSchema,
    experiences: { ...experiences, items: experienceSchema },
  },
};

export const projectFileBodies = {
  'application/json': {
    schema: projectFileComponent,
    examples: { smallest: { summary: 'A draft', value: smallest } },
  },
  'application/yaml': {
    schema: Type.String(),
    examples: { project: { value: 'project: { id: prj_demo, name: Demo }\n' } },
  },
} satisfies Bodies;

export const listProjectsOperation = {
  operationId: 'listProjects',
  method: 'get',
  path: '/admin/projects',
  tag,
  summary: 'List the projects',
  description: 'Returns the projects that you may see, sorted by id.',
  caller: 'operator',
  permission: 'read',
  answers: {
    200: jsonAnswer('The projects.', projectListSchema, {
      demo: {
        value: {
          projects: [{ projectId: 'prj_demo', name: 'Demo', browserEmbeds: true, experiences: 8 }],
        },
      },
    }),
  },
} satisfies Operation;

export const exportOperation = {
  operationId: 'getProjectFile',
  method: 'get',
  path: '/admin/projects/{projectId}',
  tag,
  summary: 'Read a project as a file',
  description:
    'Returns the project as a project file; applying that file changes nothing. Of each experience the file has the published revision, or the newest one while none is published. The format is that of the parameter `format`; without it, YAML if `Accept` names it, and JSON otherwise.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  query: Type.Object(
    {
      format: optional.oneOf(['yaml', 'json'], {
        description: 'The format of the file.',
        examples: ['yaml'],
      }),
    },
    { additionalProperties: false },
  ),
  answers: {
    200: { description: 'The project file.', headers: versionEtag, bodies: projectFileBodies },
  },
  errors: ['PAYLOAD_TOO_LARGE'],
  errorExamples: { PAYLOAD_TOO_LARGE: tooLargeToWrite },
} satisfies Operation;

export const operations: readonly Operation[] = [listProjectsOperation, exportOperation];
