import {
  type ArtRecord,
  artPerProject,
  artSchema,
  deleteArtOperation,
  listArtOperation,
  uploadArtOperation,
} from '@session-launch/contract/admin/art';
import type { FastifyInstance } from 'fastify';
import { checkUpload } from '../art/picture.ts';
import {
  type Art,
  countArt,
  deleteArt,
  findArt,
  findByContent,
  insertArt,
  listArt,
  lockProject,
  pathOf,
} from '../art/pictures.ts';
import { listMentions, type Mention, usersByPath } from '../art/used-by.ts';
import { bytesOf } from '../http/bodies/buffered-body.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import { isId, newId } from '../primitives/ids.ts';
import { sha256Hex } from '../primitives/sha256.ts';
import { AssetPictures } from '../web/asset-files.ts';
import type { AdminDeps } from './deps.ts';
import { inUse } from './in-use.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { recordOf } from './record.ts';

export async function artAdminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { database, commit, assetsDir } = deps;
  const assets = new AssetPictures(assetsDir);

  mount(app, listArtOperation, async ({ params }) => {
    const projectId = await knownProject(database, params.projectId);
    const uploads = await listArt(database, projectId);
    const mentions = await listMentions((...asked) => database.query('admin', ...asked), projectId);
    const users = usersByPath(mentions);
    const art = uploads.map((upload) => artRecord(upload, users));
    const paths = new Set(art.map(({ path }) => path));
    return { art: [...art, ...(await filesAmong(mentions, users, paths))] };
  });

  mount(app, uploadArtOperation, async (call) => {
    const { params, query, request } = call;
    const projectId = await knownProject(database, params.projectId);
    const content = bytesOf(request);
    const picture = checkUpload(content, { contentType: request.headers['content-type'], name: query.name });
    const wanted = { projectId, kind: query.kind, hash: sha256Hex(content) };
    return commit(call, async (tx, write) => {
      if (!(await lockProject(tx, projectId))) throw new ApiError('PROJECT_NOT_FOUND');
      const known = await findByContent(tx, wanted);
      const users = usersByPath(await listMentions(tx.query, projectId));
      if (known !== undefined) return artRecord(known, users);
      if ((await countArt(tx, projectId)) >= artPerProject) throw full();
      const { type, width = null, height = null } = picture;
      const name = query.name ?? null;
      const art = { id: newId('art'), ...wanted, type, name, width, height, uploadedAt: new Date() };
      await insertArt(tx, art, content);
      const record = artRecord({ ...art, bytes: content.length }, users);
      write.changed({ kind: 'art', id: art.id, projectId });
      write.audit({ projectId, target: art.id, changes: fieldChanges({}, audited(record)) });
      return record;
    });
  });

  mount(app, deleteArtOperation, async (call) => {
    const { artId } = call.params;
    const projectId = await knownProject(database, call.params.projectId);
    if (!isId('art', artId)) throw new ApiError('ART_NOT_FOUND');
    await commit(call, async (tx, write) => {
      await lockProject(tx, projectId);
      const art = await findArt(tx, projectId, artId);
      if (art === undefined) throw new ApiError('ART_NOT_FOUND');
      const record = artRecord(art, usersByPath(await listMentions(tx.query, projectId)));
      if (record.usedBy.length > 0) throw inUse('This picture', record.usedBy);
      await deleteArt(tx, artId);
      write.changed({ kind: 'art', id: artId, projectId });
      write.audit({ projectId, target: artId, changes: fieldChanges(audited(record), {}) });
    });
    return undefined;
  });

  /** The files of the asset folder that settings refer to; uploads are excluded. */
  async function filesAmong(
    mentions: readonly Mention[],
    users: Users,
    uploads: ReadonlySet<string>,
  ): Promise<ArtRecord[]> {
    const named = mentions.filter(({ path, inSettings }) => inSettings && !uploads.has(path));
    const files: ArtRecord[] = [];
    // One after the other, so that memory does not depend on how many there are.
    for (const path of new Set(named.map(({ path }) => path))) {
      const picture = await assets.find(path);
      if (picture !== undefined) files.push({ path, ...picture, usedBy: users.get(path) ?? [] });
    }
    return files;
  }
}

type Users = ReturnType<typeof usersByPath>;

function artRecord(art: Art, users: Users): ArtRecord {
  const path = pathOf(art);
  return recordOf(artSchema, { ...art, artId: art.id, path, usedBy: users.get(path) ?? [] });
}

function audited({ path, type, bytes, name }: ArtRecord): object {
  return { path, type, bytes, ...(name === undefined ? {} : { name }) };
}

function full(): ApiError {
  const message = `cannot be added: the project already has ${artPerProject} pictures. Delete one that no experience uses`;
  return invalidRequest([{ path: '', message }]);
}
