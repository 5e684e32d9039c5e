import type { CatalogEntry } from '@session-launch/contract/catalog-entry';
import type { GalleryEntry } from '@session-launch/contract/gallery';
import type { ExperienceRow } from '../content/experiences.ts';

export function catalogEntry(row: ExperienceRow): CatalogEntry {
  const { galleryAvatarImage: avatarImage, galleryBackgroundImage: backgroundImage } = row;
  const galleryThumb =
    avatarImage === null || backgroundImage === null ? null : { avatarImage, backgroundImage };
  return {
    experienceId: row.id,
    slug: row.slug,
    title: row.title,
    sortOrder: row.sortOrder,
    updatedAt: row.updatedAt.toISOString(),
    catalogReady: row.avatarId !== null && row.thumbnailPath !== null && galleryThumb !== null,
    avatarId: row.avatarId,
    thumbnailPath: row.thumbnailPath,
    galleryThumb,
    // Always empty; kept for older clients.
    discoveryTags: [],
  };
}

export function galleryEntry(row: ExperienceRow): GalleryEntry {
  const { description, taxonomy } = row;
  return {
    ...catalogEntry(row),
    ...(description === null ? {} : { description }),
    ...(taxonomy === null ? {} : { taxonomy }),
  };
}
