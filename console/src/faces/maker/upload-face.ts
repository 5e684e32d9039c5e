import { request } from '../../api/client.ts';
import type { DrawnFace } from '../drawing/face.ts';
import { type Recipe, storedRecipe } from '../drawing/recipe.ts';
import type { SavedFace } from '../face-dialog.ts';
import { withRecipe } from '../recipe-of-face.ts';

/** Uploads the files of a face. Files that the project has already get the id of that face. */
export async function uploadFace(
  projectId: string,
  name: string,
  { full, thumb, rig }: DrawnFace,
  recipe: Recipe,
): Promise<SavedFace> {
  const stored = storedRecipe(recipe);
  const { faceId, fullPath, thumbPath } = await request('POST /admin/projects/{projectId}/faces', {
    params: { projectId },
    // The drawings are ASCII. The recipe is in the small one, which players do not download.
    body: { name, full: btoa(full), thumb: btoa(withRecipe(thumb, stored)), rig },
  });
  return { faceId, fullPath, thumbPath, recipe: stored };
}
