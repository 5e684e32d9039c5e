import { createHash } from 'node:crypto';
import type { createFaceSchema } from '@session-launch/contract/admin/faces';
import type { Violation } from '@session-launch/contract/errors';
import { type PictureRig, pictureRigSchema, type Rig, rigSchema } from '@session-launch/contract/rig';
import Type from '@session-launch/contract/type';
import type { Static } from 'typebox';
import { invalidRequest } from '../primitives/errors.ts';
import { reader } from '../primitives/validator.ts';
import type { FaceFiles } from './faces.ts';
import { extensionOf, type Picture, readPicture } from './picture.ts';

const maxRigBytes = 16 * 1024;
/** Least distance of points of a face, as a fraction of the picture. */
const leastDistance = 0.01;

let readers:
  | { drawing(value: unknown): { rig: Rig }; picture(value: unknown): { rig: PictureRig } }
  | undefined;

/** Compiled for the first upload. The schemas are wrapped, so that the paths of violations begin with `rig`. */
function rigReaders() {
  readers ??= {
    drawing: reader(Type.Object({ rig: rigSchema })),
    picture: reader(Type.Object({ rig: pictureRigSchema })),
  };
  return readers;
}

/** The files of an upload. Throws 400 if one is not acceptable, or the rig does not fit the picture. */
export function checkFace(body: Static<typeof createFaceSchema>): FaceFiles {
  const text = JSON.stringify(body.rig);
  if (Buffer.byteLength(text) > maxRigBytes) refuse('rig', `is larger than ${maxRigBytes / 1024} KiB`);
  const [full, thumb] = [Buffer.from(body.full, 'base64'), Buffer.from(body.thumb, 'base64')];
  const [fullType, thumbType] = [pictureAt('full', full).type, pictureAt('thumb', thumb).type];
  if (fullType === 'image/avif') return refuse('full', 'is an AVIF; use PNG, JPEG, WebP or SVG');
  const { rig: rigVersion } = body.rig;
  const { rig } = rigReaders()[rigVersion === 1 ? 'drawing' : 'picture'](body);
  const isDrawing = fullType === 'image/svg+xml';
  if (isDrawing !== (rigVersion === 1))
    refuse('full', `does not fit the rig: version 1 needs an SVG, version 2 a PNG, JPEG or WebP`);
  const image = `full.${extensionOf(fullType)}`;
  if (rig.image !== image) refuse('rig.image', `must be ${image}`);
  const problem = rig.rig === 1 ? problemOfParts(rig, full.toString('utf8')) : problemOfPoints(rig);
  if (problem !== undefined) throw invalidRequest([problem]);
  return { rigVersion, rig: text, fullType, full, thumbType, thumb };
}

/** The id of a face: the same files in the same project have the same id. */
export function faceIdOf(projectId: string, { rig, full, thumb }: FaceFiles): string {
  const hash = createHash('sha256').update(`${projectId}\n${full.length} ${thumb.length}\n`);
  return `fac_${hash.update(full).update(thumb).update(rig).digest('hex').slice(0, 32)}`;
}

function pictureAt(path: string, content: Buffer): Picture {
  const picture = readPicture(content);
  return 'problem' in picture ? refuse(path, picture.problem) : picture;
}

/** The first part that the drawing does not have once, or that has a transform, which players would replace. */
function problemOfParts({ head, eyes, brows, mouth, breathe }: Rig, drawing: string): Violation | undefined {
  const named: [path: string, part: string | undefined][] = [
    ...head.parts.map((part, i): [string, string] => [`rig.head.parts[${i}]`, part]),
    ['rig.eyes.pupils', eyes.pupils],
    ['rig.eyes.shine', eyes.shine],
    ['rig.eyes.lids', eyes.lids],
    ['rig.brows', brows],
    ['rig.mouth.replace', mouth.replace],
    ['rig.breathe.part', breathe?.part],
  ];
  const tagsById = readTags(drawing);
  for (const [path, part] of named) {
    if (part === undefined) continue;
    const tags = tagsById.get(part) ?? [];
    const name = `names the part "${part}", which the drawing`;
    if (tags.length === 0) return { path, message: `${name} does not have` };
    if (tags.length > 1) return { path, message: `${name} has more than once` };
    if (/\stransform\s*=/.test(tags[0]!))
      return { path, message: `${name} moves with a transform; put the part into a group instead` };
  }
  return undefined;
}

/** The tags of a drawing that have an id. Two expressions: one for both would take quadratic time for some drawings. */
function readTags(drawing: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [tag] of drawing.matchAll(/<[^<>]*>/g)) {
    const id = /\sid\s*=\s*["']([^"']*)["']/.exec(tag)?.[1];
    if (id === undefined) continue;
    const tags = found.get(id) ?? [];
    tags.push(tag);
    found.set(id, tags);
  }
  return found;
}

/** Whether points that a player divides by are apart. */
function problemOfPoints({ eyes, mouth, chin }: PictureRig): Violation | undefined {
  const apart: [path: string, a: [number, number], b: [number, number], other: string][] = [
    ['rig.eyes.right', eyes.right, eyes.left, 'the left eye'],
    ['rig.mouth.right', mouth.right, mouth.left, 'the left corner'],
    ['rig.chin', chin, mouth.middle, 'the middle of the mouth'],
  ];
  for (const [path, a, b, other] of apart)
    if (Math.hypot(a[0] - b[0], a[1] - b[1]) < leastDistance)
      return { path, message: `must be at least ${leastDistance} away from ${other}` };
  return undefined;
}

function refuse(path: string, message: string): never {
  throw invalidRequest([{ path, message }]);
}
