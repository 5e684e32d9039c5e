import type { GalleryEntry, GalleryQuery } from '@session-launch/contract/gallery';
import { listPublished } from '../content/experiences.ts';
import { etagOf } from '../primitives/etag.ts';
import { Cache, type CacheCounts } from '../store/cache/cache.ts';
import { type Changes, isOfProjects } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { catalogEntry, galleryEntry } from './catalog-entry.ts';

/** A serialised response with its ETag. */
export interface CatalogAnswer {
  body: string;
  etag: string;
}

/** A project's catalog, serialised once per change instead of once per request. */
export interface Catalog {
  list(projectId: string): Promise<CatalogAnswer>;
  entry(projectId: string, slug: string): Promise<CatalogAnswer | undefined>;
  /** The entries that are ready for a gallery and have these categories. */
  gallery(projectId: string, filter: GalleryQuery): Promise<CatalogAnswer>;
  /** All published entries with description and categories, whether or not they are ready for a gallery. */
  published(projectId: string): Promise<readonly GalleryEntry[]>;
  readonly counts: CacheCounts;
}

/** Maximum characters of all rendered catalogs. */
const maxCharacters = 64 * 1024 * 1024;

interface Rendered {
  /** Characters of all texts. */
  size: number;
  projectId: string;
  list: CatalogAnswer;
  entries: Map<string, CatalogAnswer>;
  published: GalleryEntry[];
  gallery: { taxonomy: GalleryEntry['taxonomy']; text: string }[];
}

export function openCatalog(database: Database, changes: Changes): Catalog {
  const catalogs = new Cache(
    500,
    async (projectId) => render(projectId, await listPublished(database, projectId)),
    { maxSize: maxCharacters, sizeOf: ({ size }) => size },
  );
  changes.onChange((change) => {
    if (!isOfProjects(change)) return;
    catalogs.forget(change && ((catalog) => catalog.projectId === change.projectId));
  });
  return {
    list: async (projectId) => (await catalogs.get(projectId)).list,
    entry: async (projectId, slug) => (await catalogs.get(projectId)).entries.get(slug),
    gallery: async (projectId, filter) => filtered((await catalogs.get(projectId)).gallery, filter),
    published: async (projectId) => (await catalogs.get(projectId)).published,
    counts: catalogs.counts,
  };
}

function render(projectId: string, rows: Awaited<ReturnType<typeof listPublished>>): Rendered {
  const entries = rows.map(catalogEntry);
  const published = rows.map(galleryEntry);
  const list = answer({ experiences: entries });
  return {
    // The list, its single entries, and the entries of the gallery as values and as texts.
    size: 4 * list.body.length,
    projectId,
    list,
    entries: new Map(entries.map((entry) => [entry.slug, answer(entry)])),
    published,
    gallery: published
      .filter(({ catalogReady }) => catalogReady)
      .map((entry) => ({ taxonomy: entry.taxonomy, text: JSON.stringify(entry) })),
  };
}

function filtered(gallery: Rendered['gallery'], { useCase, ...categories }: GalleryQuery): CatalogAnswer {
  const wanted = Object.entries(categories) as [keyof typeof categories, string][];
  const matches = gallery.filter(
    ({ taxonomy }) =>
      wanted.every(([category, value]) => taxonomy?.[category] === value) &&
      (useCase === undefined || taxonomy?.useCases?.includes(useCase)),
  );
  return withEtag(`{"experiences":[${matches.map(({ text }) => text).join(',')}]}`);
}

function answer(value: object): CatalogAnswer {
  return withEtag(JSON.stringify(value));
}

function withEtag(body: string): CatalogAnswer {
  return { body, etag: etagOf(body) };
}
