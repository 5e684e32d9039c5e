import { requiredServiceUrl } from './core/service-url.ts';
import { make } from './dom.ts';

/** Adds a `preconnect` link to the service, so that a later start is faster. Mints no session. */
export function warm(options: { baseUrl?: string } = {}): void {
  if (typeof document === 'undefined') return;
  const { origin } = new URL(requiredServiceUrl(options.baseUrl), document.baseURI);
  if (document.head.querySelector(`link[rel=preconnect][href="${origin}"]`)) return;
  document.head.append(make('link', { rel: 'preconnect', href: origin, crossorigin: 'anonymous' }));
}
