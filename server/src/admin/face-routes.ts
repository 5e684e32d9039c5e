import {
  createFaceOperation,
  deleteFaceOperation,
  type FaceRecord,
  faceSchema,
  facesPerProject,
  listFacesOperation,
} from '@session-launch/contract/admin/faces';
import type { FastifyInstance } from 'fastify';
import { checkFace, faceIdOf } from '../art/check-face.ts';
import {
  deleteFace,
  type Face,
  facesOf,
  fileOf,
  findFace,
  insertFace,
  listFaces,
  usersByFace,
} from '../art/faces.ts';
import { lockProject } from '../art/pictures.ts';
import { listMentions } from '../art/used-by.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import { isId } from '../primitives/ids.ts';
import type { AdminDeps } from './deps.ts';
import { inUse } from './in-use.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { recordOf } from './record.ts';

export async function faceAdminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, commit } = deps;

  mount(app, listFacesOperation, async ({ params }) => {
    const projectId = await knownProject(database, params.projectId);
    const faces = await listFaces(database, projectId);
    const mentions = await listMentions((...asked) => database.query('admin', ...asked), projectId);
    const users = usersByFace(mentions);
    return { faces: faces.map((face) => faceRecord(face, users)) };
  });

  mount(app, createFaceOperation, async (call) => {
    const { params, body } = call;
    const projectId = await knownProject(database, params.projectId);
    const files = checkFace(body);
    const faceId = faceIdOf(projectId, files);
    return commit(call, async (tx, write) => {
      if (!(await lockProject(tx, projectId))) throw new ApiError('PROJECT_NOT_FOUND');
      const users = usersByFace(await listMentions(tx.query, projectId));
      const known = await findFace(tx, projectId, faceId);
      if (known !== undefined) return faceRecord(known, users);
      if ((await facesOf(tx, projectId)) >= facesPerProject) throw full();
      const face = await insertFace(
        tx,
        { id: faceId, projectId, name: body.name ?? null },
        files,
        new Date(),
      );
      const record = faceRecord(face!, users);
      write.changed({ kind: 'face', id: faceId, projectId });
      write.audit({ projectId, target: faceId, changes: fieldChanges({}, audited(record)) });
      return record;
    });
  });

  mount(app, deleteFaceOperation, async (call) => {
    const { faceId } = call.params;
    const projectId = await knownProject(database, call.params.projectId);
    if (!isId('fac', faceId)) throw new ApiError('FACE_NOT_FOUND');
    await commit(call, async (tx, write) => {
      await lockProject(tx, projectId);
      const face = await findFace(tx, projectId, faceId);
      if (face === undefined) throw new ApiError('FACE_NOT_FOUND');
      const record = faceRecord(face, usersByFace(await listMentions(tx.query, projectId)));
      if (record.usedBy.length > 0) throw inUse('This face', record.usedBy);
      await deleteFace(tx, faceId);
      write.changed({ kind: 'face', id: faceId, projectId });
      write.audit({ projectId, target: faceId, changes: fieldChanges(audited(record), {}) });
    });
    return undefined;
  });
}

function faceRecord(face: Face, users: ReturnType<typeof usersByFace>): FaceRecord {
  return recordOf(faceSchema, {
    ...face,
    faceId: face.id,
    rig: face.rigVersion,
    fullPath: fileOf(face, 'full').path,
    thumbPath: fileOf(face, 'thumb').path,
    usedBy: users.get(face.id) ?? [],
  });
}

function audited({ rig, bytes, name }: FaceRecord): object {
  return { rig, bytes, ...(name === undefined ? {} : { name }) };
}

function full(): ApiError {
  const message = `cannot be added: the project already has ${facesPerProject} faces. Delete one that no experience uses`;
  return invalidRequest([{ path: '', message }]);
}
