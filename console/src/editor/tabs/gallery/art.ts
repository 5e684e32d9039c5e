import { type ArtKind, type ArtRecord, artMiB } from '@session-launch/contract/admin/art';
import type { FaceRecord } from '@session-launch/contract/admin/faces';
import { ApiFailure, request } from '../../../api/client.ts';
import { galleryTexts } from '../../../texts/editor/gallery.ts';

export type { ArtKind, ArtRecord, FaceRecord };
export { artMiB };

/** The URL of a picture. The admin listener serves it too; relative, so that the console works below any path. */
export function artUrl(path: string, width?: number): string {
  const url = new URL(`..${path}`, document.baseURI);
  // The service scales raster pictures only.
  if (width !== undefined && !path.endsWith('.svg')) url.searchParams.set('w', String(width));
  return url.href;
}

export const nameOf = ({ name, path }: Pick<ArtRecord, 'name' | 'path'>): string =>
  name ?? path.split('/').slice(2).join('/');

export async function listArt(projectId: string, signal: AbortSignal): Promise<ArtRecord[]> {
  return (await request('GET /admin/projects/{projectId}/art', { params: { projectId }, signal })).art;
}

/** The faces of a project, newest first. */
export async function listFaces(projectId: string, signal: AbortSignal): Promise<FaceRecord[]> {
  return (await request('GET /admin/projects/{projectId}/faces', { params: { projectId }, signal })).faces;
}

export function uploadArt(projectId: string, kind: ArtKind, picture: Blob, name: string): Promise<ArtRecord> {
  const file = picture.type === '' ? new Blob([picture], { type: 'application/octet-stream' }) : picture;
  return request('POST /admin/projects/{projectId}/art', {
    params: { projectId },
    query: { kind, name },
    file,
  });
}

/** Deletes a picture. Throws with the experiences that use it, in words. */
export async function deleteArt(projectId: string, artId: string): Promise<void> {
  try {
    await request('DELETE /admin/projects/{projectId}/art/{artId}', { params: { projectId, artId } });
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'ART_IN_USE') throw error;
    const { usedBy = [] } = Object(error.details) as { usedBy?: string[] };
    throw new Error(galleryTexts.chooser.inUse(usedBy));
  }
}
