import type { CatalogEntry } from '../contract.ts';
import { answer } from './answers.ts';
import type { RelayDeps } from './deps.ts';
import { admit } from './mint.ts';
import { refuseOtherOrigins } from './same-origin.ts';
import { sha256 } from './visitor.ts';

/** Returns the published experiences that the visitor may launch. */
export async function relayCatalog(deps: RelayDeps, request: Request): Promise<Response> {
  refuseOtherOrigins(request, deps.rules.origins);
  const grant = await admit(deps, request);
  const all = await deps.catalog();
  const shown = await Promise.all(all.map(({ experienceId }) => deps.rules.mayLaunch(experienceId, grant)));
  const experiences = all.filter((_, index) => shown[index]);
  const headers = {
    ETag: `"${(await sha256(JSON.stringify(experiences))).slice(0, 32)}"`,
    'Cache-Control': 'private, no-cache',
    Vary: 'Cookie, Authorization',
  };
  const isKnown = request.headers.get('If-None-Match')?.includes(headers.ETag) ?? false;
  return isKnown ? answer(304, undefined, headers) : answer(200, { experiences }, headers);
}

/**
 * Caches the catalog and revalidates it with `If-None-Match` on every call. Concurrent calls do not share a request in flight: edge
 * workers cancel it together with the incoming request that started it.
 */
export function catalogReader(
  list: (
    etag: string | undefined,
  ) => Promise<{ experiences: CatalogEntry[]; etag: string; notModified: boolean }>,
): () => Promise<CatalogEntry[]> {
  let copy: { experiences: CatalogEntry[]; etag: string } | undefined;
  return async () => {
    const known = copy;
    const answered = await list(known?.etag);
    if (answered.notModified && known) return known.experiences;
    copy = answered;
    return answered.experiences;
  };
}
