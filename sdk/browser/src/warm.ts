import { requiredServiceUrl } from './core/home.ts';

/** Adds a `preconnect` link to the service, so that a later start is faster. Mints no session. */
export function warm(options: { baseUrl?: string } = {}): void {
  if (typeof document === 'undefined') return;
  const { origin } = new URL(requiredServiceUrl(options.baseUrl), document.baseURI);
  const rel = 'preconnect';
  if (document.head.querySelector(`link[rel=${rel}][href="${origin}"]`)) return;
  const link = document.createElement('link');
  Object.assign(link, { rel, href: origin, crossOrigin: 'anonymous' });
  document.head.append(link);
}
