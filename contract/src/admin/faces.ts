import type { Static } from 'typebox';
import { id, optional, timestamp } from '../fields.ts';
import { jsonAnswer, type Operation } from '../operation.ts';
import Type from '../type.ts';
import { artQuerySchema, tag } from './art.ts';
import { projectParams } from './projects.ts';

/** Maximum number of faces of a project. */
export const facesPerProject = 200;
/** Maximum size of the small picture of a face, in KiB. */
export const faceThumbKiB = 512;

const exampleId = 'fac_9f86d081884c7d659a2feaa0c55ad015';
const path = (file: string) => `/avatars/${exampleId}/${file}`;

const fields = {
  faceId: Type.String({
    pattern: '^fac_',
    description: 'Id of the face, for avatar.avatarId of a character. It contains a hash of the files.',
    examples: [exampleId],
  }),
  name: optional.string({ description: 'The name that the upload stated.', examples: ['Ada'] }),
  rig: Type.Enum([1, 2], {
    description: 'Version of rig.json: 1 moves the parts of a drawing, 2 moves a picture.',
  }),
  fullPath: Type.String({
    description: 'The path of the picture, for galleryThumb.avatarImage.',
    examples: [path('full.svg')],
  }),
  thumbPath: Type.String({
    description: 'The path of the small picture, for thumbnailPath.',
    examples: [path('thumb.svg')],
  }),
  bytes: Type.Integer({ minimum: 0, description: 'Size of all files in bytes.' }),
};

export const faceSchema = Type.Object(
  {
    ...fields,
    usedBy: Type.Array(Type.String(), {
      description:
        'Ids of the experiences that use the face: in their settings, in their newest revision or in their published one.',
      examples: [['exp_cafe']],
    }),
    createdAt: timestamp('When the face was uploaded.'),
  },
  {
    $id: 'Face',
    description: 'A face of a character: a picture, a small picture, and rig.json, which says how it moves.',
  },
);

export type FaceRecord = Static<typeof faceSchema>;

export const faceListSchema = Type.Object(
  { faces: Type.Array(faceSchema, { description: 'The faces, newest first.' }) },
  { $id: 'FaceList', description: 'The faces of a project.' },
);

/** Base64 without line breaks. */
const file = (description: string, maxBytes: number) =>
  Type.String({
    pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    errorMessage: 'must be a file in Base64, without line breaks',
    minLength: 4,
    maxLength: Math.ceil(maxBytes / 3) * 4,
    description,
  });

export const createFaceSchema = Type.Object(
  {
    name: artQuerySchema.properties.name,
    full: file(
      'The picture in Base64. An SVG for version 1 of the rig; PNG, JPEG or WebP for version 2.',
      2 ** 22,
    ),
    thumb: file(
      `The small picture in Base64: PNG, JPEG, WebP, AVIF or SVG, at most ${faceThumbKiB} KiB.`,
      faceThumbKiB * 1024,
    ),
    rig: Type.Object(
      { rig: Type.Enum([1, 2], { description: 'Version of the rig.' }) },
      {
        additionalProperties: true,
        description:
          'The content of rig.json: Rig (version 1) or PictureRig (version 2). `image` is full.svg, full.png, full.jpg or full.webp.',
      },
    ),
  },
  { additionalProperties: false },
);

/** A drawing with the parts of `rig`, in Base64. */
const drawing =
  'PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA0OCA2NCI+PGcgaWQ9ImhlYWQiPjxj' +
  'aXJjbGUgY3g9IjI0IiBjeT0iMjQiIHI9IjE2Ii8+PHBhdGggaWQ9ImV5ZXMiIGQ9Ik0xOCAyMmgyIi8+PHBhdGggaWQ9Im1vdXRo' +
  'IiBkPSJNMjAgMzJoOCIvPjwvZz48L3N2Zz4=';

const rig = {
  rig: 1,
  image: 'full.svg',
  head: { parts: ['head'], pivot: [24, 38], maxTilt: 4 },
  eyes: { pupils: 'eyes', blink: { scaleY: 0.1, about: 22 }, look: [1, 1] },
  mouth: {
    replace: 'mouth',
    at: [24, 32],
    width: 4,
    height: 4,
    smile: 1,
    colors: { lip: '#8e3b34', inside: '#5a1f22', teeth: '#fff6ec', tongue: '#d65a5a' },
    style: 'soft',
  },
};

const exampleFace = {
  faceId: exampleId,
  name: 'Ada',
  rig: 1 as const,
  fullPath: path('full.svg'),
  thumbPath: path('thumb.svg'),
  bytes: 1042,
  usedBy: [],
  createdAt: '2026-03-01T09:30:00.000Z',
};

export const listFacesOperation = {
  operationId: 'listFaces',
  method: 'get',
  path: '/admin/projects/{projectId}/faces',
  tag,
  summary: 'List the faces of a project',
  description: 'Returns the uploaded faces, newest first.',
  caller: 'operator',
  permission: 'read',
  params: projectParams,
  answers: {
    200: jsonAnswer('The faces.', faceListSchema, {
      one: { value: { faces: [{ ...exampleFace, usedBy: ['exp_cafe'] }] } },
    }),
  },
} satisfies Operation;

export const createFaceOperation = {
  operationId: 'createFace',
  method: 'post',
  path: '/admin/projects/{projectId}/faces',
  tag,
  summary: 'Upload a face',
  description: [
    `Stores two pictures and rig.json together. A character with this \`faceId\` as \`avatar.avatarId\` has the face. The rules for pictures are those of single ones; the request is at most 4 MiB in total. The numbers of the rig are limited, and the parts that a rig of version 1 names must exist once in the drawing, without a transform.`,
    `The id contains a hash of the files, so a face never changes and clients may cache it for good. Uploading the same face again returns the existing one and changes nothing. A project can have ${facesPerProject} faces.`,
  ].join('\n\n'),
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'face.create',
  params: projectParams,
  body: {
    schema: createFaceSchema,
    examples: { drawing: { value: { name: 'Ada', full: drawing, thumb: drawing, rig } } },
  },
  answers: { 201: jsonAnswer('The face.', faceSchema, { created: { value: exampleFace } }) },
  errorExamples: {
    INVALID_REQUEST: {
      message:
        'The request is not valid: rig.mouth.replace names the part "lips", which the drawing does not have.',
      details: [
        { path: 'rig.mouth.replace', message: 'names the part "lips", which the drawing does not have' },
      ],
    },
  },
} satisfies Operation;

export const deleteFaceOperation = {
  operationId: 'deleteFace',
  method: 'delete',
  path: '/admin/projects/{projectId}/faces/{faceId}',
  tag,
  summary: 'Delete a face',
  description:
    'Refused while an experience uses the face: in its settings, in its newest revision or in its published one. Other revisions do not count: publishing one of them again may show no face. Caches of clients may keep its files.',
  caller: 'operator',
  permission: 'edit-experiences',
  action: 'face.delete',
  params: Type.Object({
    ...projectParams.properties,
    faceId: id('fac', 'Id of the face.', exampleId),
  }),
  answers: { 204: { description: 'The face has been deleted.' } },
  errors: ['ART_IN_USE'],
  errorExamples: {
    ART_IN_USE: {
      message: 'This face is used by exp_cafe. Choose another one there first.',
      details: { usedBy: ['exp_cafe'] },
    },
  },
} satisfies Operation;

export const operations: readonly Operation[] = [
  listFacesOperation,
  createFaceOperation,
  deleteFaceOperation,
];
