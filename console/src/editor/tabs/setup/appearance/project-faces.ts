import { ApiFailure, request } from '../../../../api/client.ts';
import type { SavedFace } from '../../../../faces/face-dialog.ts';
import { recipeOfFace } from '../../../../faces/recipe-of-face.ts';
import { type Loaded, useLoad } from '../../../../state/load.ts';
import { facesTexts } from '../../../../texts/editor/faces.ts';
import { artUrl, type FaceRecord, listArt, listFaces } from '../../gallery/art.ts';

export type { FaceRecord };

/** The faces of a project, and those of the installation that its experiences use. */
export interface ProjectFaces {
  own: readonly FaceRecord[];
  others: readonly SavedFace[];
}

export const useFaces = (projectId: string): Loaded<ProjectFaces> =>
  useLoad([projectId], (signal) => readFaces(projectId, signal), ['face', 'art']);

async function readFaces(projectId: string, signal: AbortSignal): Promise<ProjectFaces> {
  const [own, art] = await Promise.all([listFaces(projectId, signal), listArt(projectId, signal)]);
  return { own, others: facesIn(art.map(({ path }) => path)) };
}

/** The folders of avatars among paths of pictures. A folder without a thumbnail shows the large picture. */
export function facesIn(paths: readonly string[]): SavedFace[] {
  const found = new Map<string, SavedFace>();
  for (const path of paths) {
    const [, faceId, name] = /^\/avatars\/([\w-]+)\/(full|thumb)\.\w+$/.exec(path) ?? [];
    if (faceId === undefined || faceId.startsWith('fac_')) continue;
    const before = found.get(faceId) ?? { faceId, fullPath: path, thumbPath: path };
    found.set(faceId, name === 'full' ? { ...before, fullPath: path } : { ...before, thumbPath: path });
  }
  return [...found.values()];
}

/** The choices from which a face was made; `undefined` if there are none, or they cannot be read: the face is then used as it is. */
export function readRecipe(face: FaceRecord): Promise<object | undefined> {
  return recipeOfFace(face, async () => (await fetch(artUrl(face.thumbPath))).text()).catch(() => undefined);
}

/** Deletes a face. Throws with the experiences that use it, in words. */
export async function deleteFace(projectId: string, faceId: string): Promise<void> {
  try {
    await request('DELETE /admin/projects/{projectId}/faces/{faceId}', { params: { projectId, faceId } });
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'ART_IN_USE') throw error;
    const { usedBy = [] } = Object(error.details) as { usedBy?: string[] };
    throw new Error(facesTexts.chooser.inUse(usedBy));
  }
}
