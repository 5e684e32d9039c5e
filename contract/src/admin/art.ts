import type { Static } from 'typebox';
import { id, optional, timestamp } from '../fields.ts';
import { type Bodies, jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { projectParams } from './projects.ts';

export const tag = { name: 'Art', description: 'Pictures of a project.' };

export const artKinds = ['avatar', 'location'] as const;
export type ArtKind = (typeof artKinds)[number];

export const artTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/avif', 'image/svg+xml'] as const;
export type ArtType = (typeof artTypes)[number];

/** Maximum size of an uploaded picture, in MiB. */
export const artMiB = 4;
/** Maximum number of pixels of an uploaded picture. */
export const artPixels = 40_000_000;
/** Maximum number of uploaded pictures of a project. */
export const artPerProject = 500;

export const artSchema = Type.Object(
  {
    artId: optional.string({
      pattern: '^art_',
      description: 'Id of an uploaded picture. Absent for a file of ASSETS_DIR.',
      examples: ['art_01kb2x7m9defgt4zq8s6w3n5vh'],
    }),
    path: Type.String({
      description: 'The path that serves the picture, for thumbnailPath, galleryThumb and runtime documents.',
      examples: ['/avatars/ines/thumb.svg'],
    }),
    kind: Type.Enum(artKinds, { description: 'Whether the picture shows an avatar or a location.' }),
    type: Type.Enum(artTypes, { description: 'Media type, recognised by the content.' }),
    bytes: Type.Integer({ minimum: 0, description: 'Size of the file in bytes.' }),
    name: optional.string({
      description: 'The file name that the upload stated.',
      examples: ['ines.png'],
    }),
    width: optional.integer({
      minimum: 1,
      description: 'Width in pixels. Absent for an SVG that does not state it.',
    }),
    height: optional.integer({
      minimum: 1,
      description: 'Height in pixels. Absent for an SVG that does not state it.',
    }),
    usedBy: Type.Array(Type.String(), {
      description:
        'Ids of the experiences that use the picture: in their settings, in their newest revision or in their published one.',
      examples: [['exp_cafe']],
    }),
    uploadedAt: Type.Optional(timestamp('When the picture was uploaded. Absent for a file of ASSETS_DIR.')),
  },
  { $id: 'Art', description: 'A picture of a project.' },
);

export type ArtRecord = Static<typeof artSchema>;

export const artListSchema = Type.Object(
  {
    art: Type.Array(artSchema, {
      description: 'Uploaded pictures, newest first, then files of ASSETS_DIR, sorted by path.',
    }),
  },
  { $id: 'ArtList', description: 'The pictures of a project.' },
);

const path = '/avatars/prj_demo/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png';

const exampleArt = {
  artId: 'art_01kb2x7m9defgt4zq8s6w3n5vh',
  path,
  kind: 'avatar',
  type: 'image/png',
  bytes: 48_211,
  name: 'ines.png',
  width: 512,
  height: 512,
  usedBy: ['exp_cafe'],
  uploadedAt: '2026-03-01T09:30:00.000Z',
};

const picture = { schema: Type.String(), examples: { bytes: { value: '(the bytes of the file)' } } };

const pictureBodies: Bodies = Object.fromEntries(
  [...artTypes, 'application/octet-stream'].map((type) => [type, picture]),
);

export const listArtOperation = {
  operationId: 'listArt',
  method: 'get',
  path: '/admin/projects/{projectId}/art',
  tag,
  summary: 'List the pictures of a project',
  description:
    'Returns the uploaded pictures, and the files of ASSETS_DIR that the settings of an experience name. A path that leads to no picture is not listed.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  answers: {
    200: jsonAnswer('The pictures.', artListSchema, { one: { value: { art: [exampleArt] } } }),
  },
} satisfies Operation;

export const artQuerySchema = Type.Object(
  {
    kind: Type.Enum(artKinds, {
      description: 'Whether the picture shows an avatar or a location. It decides the folder of the path.',
    }),
    name: optional.string({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
      errorMessage: 'must have 1 to 200 characters and no control character',
      description: 'The name of the file, for listings. Its extension must match the content.',
      examples: ['ines.png'],
    }),
  },
  { additionalProperties: false },
);

export const uploadArtOperation = {
  operationId: 'uploadArt',
  method: 'post',
  path: '/admin/projects/{projectId}/art',
  tag,
  summary: 'Upload a picture',
  description: [
    `The body is the file: PNG, JPEG, WebP, AVIF or SVG, at most ${artMiB} MiB and ${artPixels / 1_000_000} million pixels. The type is recognised by the content; a Content-Type or a name that states another one is refused. An SVG must be UTF-8, without DOCTYPE and without references to other files.`,
    `The path contains the SHA-256 of the content, so a picture never changes and clients may cache it for good. Uploading the same picture again returns the existing one and changes nothing. A project can have ${artPerProject} pictures.`,
  ].join('\n\n'),
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'art.upload',
  params: projectParams,
  query: artQuerySchema,
  bodies: pictureBodies,
  answers: {
    201: jsonAnswer('The picture.', artSchema, { created: { value: { ...exampleArt, usedBy: [] } } }),
  },
  errorExamples: {
    INVALID_REQUEST: {
      message:
        'The request is not valid: the body has 30000 × 30000 pixels; at most 40 million are allowed. Upload a smaller version.',
      details: [
        {
          path: '',
          message: 'has 30000 × 30000 pixels; at most 40 million are allowed. Upload a smaller version',
        },
      ],
    },
    PAYLOAD_TOO_LARGE: { message: `The request body is larger than ${artMiB} MiB.` },
  },
} satisfies Operation;

export const deleteArtOperation = {
  operationId: 'deleteArt',
  method: 'delete',
  path: '/admin/projects/{projectId}/art/{artId}',
  tag,
  summary: 'Delete a picture',
  description:
    'Refused while an experience uses the picture: in its settings, in its newest revision or in its published one. Other revisions do not count: publishing one of them again may show a missing picture. Caches of clients may keep the picture.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'art.delete',
  params: Type.Object({
    ...projectParams.properties,
    artId: id('art', 'Id of the picture.', 'art_01kb2x7m9defgt4zq8s6w3n5vh'),
  }),
  answers: { 204: { description: 'The picture has been deleted.' } },
  errors: ['ART_IN_USE'],
  errorExamples: {
    ART_IN_USE: {
      message: 'This picture is used by exp_cafe. Choose another one there first.',
      details: { usedBy: ['exp_cafe'] },
    },
  },
} satisfies Operation;

export const operations: readonly Operation[] = [listArtOperation, uploadArtOperation, deleteArtOperation];
