import { etagOf } from '../primitives/etag.ts';
import { Cache, type CacheCounts } from '../store/cache/cache.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { catalogEntry } from './catalog-entry.ts';
import { listPublished } from './store.ts';

/** A serialised response with its ETag. */
export interface CatalogAnswer {
  body: string;
  etag: string;
}

/** A project's catalog, serialised once per change instead of once per request. */
export interface Catalog {
  list(projectId: string): Promise<CatalogAnswer>;
  entry(projectId: string, slug: string): Promise<CatalogAnswer | undefined>;
  readonly counts: CacheCounts;
}

interface Rendered {
  projectId: string;
  list: CatalogAnswer;
  entries: Map<string, CatalogAnswer>;
}

export function openCatalog(database: Database, changes: Changes): Catalog {
  const catalogs = new Cache(500, async (projectId) =>
    render(projectId, await listPublished(database, projectId)),
  );
  changes.onChange((change) => {
    if (change?.kind === 'key') return;
    catalogs.forget(change && ((catalog) => catalog.projectId === change.id));
  });
  return {
    list: async (projectId) => (await catalogs.get(projectId)).list,
    entry: async (projectId, slug) => (await catalogs.get(projectId)).entries.get(slug),
    counts: catalogs.counts,
  };
}

function render(projectId: string, rows: Awaited<ReturnType<typeof listPublished>>): Rendered {
  const entries = rows.map(catalogEntry);
  return {
    projectId,
    list: answer({ experiences: entries }),
    entries: new Map(entries.map((entry) => [entry.slug, answer(entry)])),
  };
}

function answer(value: object): CatalogAnswer {
  const body = JSON.stringify(value);
  return { body, etag: etagOf(body) };
}
