import type { Static } from 'typebox';
import { optional } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import { projectFileSchema } from '../project-file/schema.ts';
import Type from '../type.ts';
import { versionEtag, versionHeaders } from './changes.ts';
import { conflict } from './experience-examples.ts';
import { projectParams, projectSchema, tag } from './projects.ts';

const ofFile = projectFileSchema.properties.project;
const { name, browserEmbeds, allowedOrigins, limits } = ofFile.properties;

/** Settings to change; the others stay as they are, and so do limits that are not named. */
export const projectSettingsSchema = Type.Object(
  { name: Type.Optional(name), browserEmbeds, allowedOrigins, limits },
  { $id: 'ProjectSettings', additionalProperties: false, description: 'Settings of a project to change.' },
);

export type ProjectSettings = Static<typeof projectSettingsSchema>;

const projectStateSchema = Type.Object(
  {
    project: projectSchema,
    version: Type.Integer({
      minimum: 1,
      description: 'Counts the changes of its settings, of the order and of which experiences there are.',
    }),
  },
  { $id: 'ProjectState', description: 'A project and its version.' },
);

export const updateProjectOperation = {
  operationId: 'updateProject',
  method: 'patch',
  path: '/admin/projects/{projectId}',
  tag,
  summary: 'Change settings of a project',
  description:
    'Changes the settings that the body names. `limits` may name some limits only. Settings are checked and normalised as in a project file.',
  caller: 'operator',
  permission: 'run-integration',
  furtherPermissions: [
    {
      permission: 'manage-projects',
      when: 'the body has name or limits',
      appliesTo: (body) => {
        const { name, limits } = body as ProjectSettings;
        return name !== undefined || limits !== undefined;
      },
    },
  ],
  action: 'project.update',
  isVersioned: true,
  headers: versionHeaders,
  params: projectParams,
  body: {
    schema: projectSettingsSchema,
    examples: { origin: { value: { browserEmbeds: true, allowedOrigins: ['https://shop.example'] } } },
  },
  answers: {
    200: jsonAnswer(
      'The project.',
      projectStateSchema,
      {
        changed: {
          value: {
            project: {
              id: 'prj_demo',
              name: 'Demo',
              browserEmbeds: true,
              allowedOrigins: ['https://shop.example'],
            },
            version: 4,
          },
        },
      },
      versionEtag,
    ),
  },
  errorExamples: conflict,
} satisfies Operation;

export const deleteProjectOperation = {
  operationId: 'deleteProject',
  method: 'delete',
  path: '/admin/projects/{projectId}',
  tag,
  summary: 'Delete a project',
  description:
    'Closes the project at once: its keys are revoked, nothing of it can be launched, and its running sessions end. Its experiences, sessions and keys are deleted in the background; then its id can be used again. The audit keeps its entries.',
  caller: 'operator',
  permission: 'manage-projects',
  action: 'project.delete',
  params: projectParams,
  query: Type.Object({
    confirm: optional.string({ description: 'The id of the project again.', examples: ['prj_demo'] }),
  }),
  answers: { 202: { description: 'The project is closed, and is being deleted.' } },
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: confirm must be the id of the project.',
      details: [{ path: 'confirm', message: 'must be the id of the project' }],
    },
  },
} satisfies Operation;

export const operations: readonly Operation[] = [updateProjectOperation, deleteProjectOperation];
