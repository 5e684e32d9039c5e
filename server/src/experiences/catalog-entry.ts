import type { ExperienceRow } from './store.ts';

/** An experience as the catalog shows it. Paths are the service's own, not full addresses. */
export interface CatalogEntry {
  experienceId: string;
  slug: string;
  title: string;
  sortOrder: number;
  updatedAt: string;
  catalogReady: boolean;
  avatarId: string | null;
  thumbnailPath: string | null;
  galleryThumb: { avatarImage: string; backgroundImage: string } | null;
  discoveryTags: never[];
}

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
    // Kept for compatibility; categories live on gallery payloads.
    discoveryTags: [],
  };
}
