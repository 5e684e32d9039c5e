import { assetUrl } from '../assets.ts';
import { originOf } from '../core/manifest.ts';
import { make } from '../dom.ts';
import type { SessionManifest } from '../types.ts';

const isImage = /\.(?:svg|png|jpe?g|webp|avif|gif)(?:\?|$)/i;

const origins = new WeakMap<SessionManifest, string>();

/** Sets the URL of the service from which a session's images are loaded. */
export function setArtOrigin(manifest: SessionManifest, baseUrl: string | undefined): void {
  if (baseUrl !== undefined) origins.set(manifest, baseUrl);
}

/** Absolute URL of an image of the session. The service is the one set by `setArtOrigin`, otherwise that of the leave link. */
export function artUrl(manifest: SessionManifest, path: string): string {
  return assetUrl(path, { baseUrl: origins.get(manifest) ?? originOf(manifest) ?? '' });
}

/** The background image of the scene; undefined if the manifest has none. */
export function backdrop(manifest: SessionManifest): HTMLImageElement | undefined {
  const { assets } = (manifest.location ?? {}) as { assets?: unknown[] };
  const path = assets?.find((one): one is string => typeof one === 'string' && isImage.test(one));
  if (path === undefined) return undefined;
  return picture(artUrl(manifest, path), 'backdrop');
}

/** Creates a decorative image with an empty `alt`. Removes it if loading fails. */
export function picture(src: string, className?: string): HTMLImageElement {
  const image = make('img', { class: className, alt: '', decoding: 'async', src });
  image.onerror = () => image.remove();
  return image;
}
