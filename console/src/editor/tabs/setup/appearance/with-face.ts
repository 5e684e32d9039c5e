import type { SavedFace } from '../../../../faces/face-dialog.ts';
import type { Experience } from '../../../document/model.ts';

type Avatar = Record<string, unknown>;
type Character = Experience['runtime']['characters'][number];

/** The folder of a face below `/avatars`, with its slashes. */
const folderOf = (avatarId: string) => `/avatars/${avatarId}/`;

/** A picture of a location; the service accepts the two pictures of a card only together. */
const isBackground = (path: unknown): path is string =>
  typeof path === 'string' && /^\/locations\/.*\.(?:svg|png|jpe?g|webp|avif)$/i.test(path);

/** Gives a character another face; the gallery follows where it shows nothing or the face before. */
export function withFace(
  document: Experience,
  index: number,
  face: SavedFace,
): { document: Experience; isInGallery: boolean } {
  const before = avatarOf(document.runtime.characters[index]);
  const { faceId, recipe, fullPath, thumbPath } = face;
  const avatar: Avatar = {
    ...withoutFaceFields(before),
    avatarId: faceId,
    // Players that cannot move a picture show it as it is.
    ...(fullPath.endsWith('.svg') ? {} : { imagePath: fullPath }),
    ...(recipe === undefined ? {} : { recipe }),
  };
  const isReplaced = (value: string | undefined) =>
    value === undefined ||
    (typeof before.avatarId === 'string' && value.startsWith(folderOf(before.avatarId)));
  const { galleryThumb, thumbnailPath, avatarId } = document;
  const location = document.runtime.location as { assets?: unknown } | undefined;
  const backgroundImage =
    galleryThumb?.backgroundImage ??
    (Array.isArray(location?.assets) ? location.assets.find(isBackground) : undefined);
  const gallery: Partial<Experience> = {
    ...(avatarId === undefined || avatarId === before.avatarId ? { avatarId: faceId } : {}),
    ...(isReplaced(thumbnailPath) ? { thumbnailPath: thumbPath } : {}),
    ...(isReplaced(galleryThumb?.avatarImage) && backgroundImage !== undefined
      ? { galleryThumb: { avatarImage: fullPath, backgroundImage } }
      : {}),
  };
  return {
    document: withAvatar({ ...document, ...gallery }, index, avatar),
    isInGallery: 'thumbnailPath' in gallery || 'galleryThumb' in gallery,
  };
}

/** Takes the face of a character away. The gallery keeps its pictures. */
export function withoutFace(document: Experience, index: number): Experience {
  const { avatarId: _removed, ...others } = withoutFaceFields(avatarOf(document.runtime.characters[index]));
  return withAvatar(document, index, Object.keys(others).length === 0 ? undefined : others);
}

function withAvatar(document: Experience, index: number, avatar: Avatar | undefined): Experience {
  const characters = document.runtime.characters.map((character, n) => {
    if (n !== index) return character;
    const { avatar: _before, ...others } = character;
    return avatar === undefined ? others : { ...others, avatar };
  });
  return { ...document, runtime: { ...document.runtime, characters } };
}

/** The settings that do not belong to the present face. */
function withoutFaceFields(avatar: Avatar): Avatar {
  const { recipe: _recipe, imagePath, ...others } = avatar;
  const isOfFace =
    typeof imagePath === 'string' &&
    typeof avatar.avatarId === 'string' &&
    imagePath.startsWith(folderOf(avatar.avatarId));
  return imagePath === undefined || isOfFace ? others : { ...others, imagePath };
}

function avatarOf(character: Character | undefined): Avatar {
  return character?.avatar ?? {};
}
