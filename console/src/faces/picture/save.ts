import { request } from '../../api/client.ts';
import type { SavedFace } from '../face-dialog.ts';
import { recipeOfPicture } from '../recipe-of-face.ts';
import { type Handles, rigOf } from './handles.ts';
import { base64, fileOf, type OpenedPicture, thumbOf } from './picture-file.ts';
import { squareOf } from './view.ts';

/** The path of the picture that a recipe names; `undefined` if it is not one of a picture. */
export function imageIn(recipe: unknown): string | undefined {
  const { picture, image } = Object(recipe) as { picture?: unknown; image?: unknown };
  const isPath = typeof image === 'string' && /^\/avatars\/fac_\w+\/full\.(?:png|jpg|webp)$/.test(image);
  return picture === 1 && isPath ? image : undefined;
}

/** Uploads the picture, the small picture and the rig as one face. */
export async function savePicture(
  projectId: string,
  name: string,
  picture: OpenedPicture,
  handles: Handles,
): Promise<SavedFace> {
  const { centre, side } = squareOf(handles, picture.canvas);
  const [full, thumb] = await Promise.all([fileOf(picture), thumbOf(picture.canvas, centre, side)]);
  const extension = full.type.replace('image/', '').replace('jpeg', 'jpg');
  const { faceId, fullPath, thumbPath } = await request('POST /admin/projects/{projectId}/faces', {
    params: { projectId },
    body: {
      name,
      full: await base64(full),
      thumb: await base64(thumb),
      rig: { ...rigOf(handles, `full.${extension}`) },
    },
  });
  return { faceId, fullPath, thumbPath, recipe: recipeOfPicture(fullPath) };
}
