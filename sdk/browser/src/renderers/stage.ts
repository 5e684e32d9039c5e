import { assetUrl } from '../assets.ts';
import type { SessionManifest } from '../types.ts';

const isImage = /\.(?:svg|png|jpe?g|webp|avif|gif)(?:\?|$)/i;

const homes = new WeakMap<SessionManifest, string>();

/** Sets the URL of the service from which a session's images are loaded. */
export function artComesFrom(manifest: SessionManifest, baseUrl: string | undefined): void {
  if (baseUrl !== undefined) homes.set(manifest, baseUrl);
}

/** URL of the service: as set by `artComesFrom`, otherwise from the manifest's leave link. */
export function homeOf(manifest: SessionManifest): string {
  return homes.get(manifest) ?? manifest.links.leave.replace(/\/v1\/sessions\/.*$/, '');
}

/** The background image of the scene; undefined if the manifest has none. */
export function backdrop(manifest: SessionManifest): HTMLImageElement | undefined {
  const { assets } = (manifest.location ?? {}) as { assets?: unknown[] };
  const path = assets?.find((one): one is string => typeof one === 'string' && isImage.test(one));
  if (path === undefined) return undefined;
  const image = picture(assetUrl(path, { baseUrl: homeOf(manifest) }));
  image.className = 'backdrop';
  return image;
}

/** Creates a decorative image with an empty `alt`. Removes it if loading fails. */
export function picture(src: string): HTMLImageElement {
  const image = document.createElement('img');
  image.alt = '';
  image.decoding = 'async';
  image.onerror = () => image.remove();
  image.src = src;
  return image;
}

export function box(className: string, ...children: (Node | string)[]): HTMLDivElement {
  const element = document.createElement('div');
  element.className = className;
  element.append(...children);
  return element;
}
