import { requiredServiceUrl } from './core/service-url.ts';

/** Returns the absolute URL of an asset path from a catalog or a manifest. */
export function assetUrl(
  path: string,
  { baseUrl, width }: { baseUrl?: string | undefined; width?: number | undefined } = {},
): string {
  const url = /^https?:/.test(path) ? path : requiredServiceUrl(baseUrl) + path;
  return width === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}w=${width}`;
}
