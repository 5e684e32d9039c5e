import { assetUrl } from '../assets.ts';
import type { SessionManifest } from '../types.ts';

const isImage = /\.(?:svg|png|jpe?g|webp|avif|gif)(?:\?|$)/i;

const homes = new WeakMap<SessionManifest, string>();

/** Where the page reaches the service: art comes from there. */
export function artComesFrom(manifest: SessionManifest, baseUrl: string | undefined): void {
  if (baseUrl !== undefined) homes.set(manifest, baseUrl);
}

/** The address of the service: as the page knows it, else as the session does. */
export function homeOf(manifest: SessionManifest): string {
  return homes.get(manifest) ?? manifest.links.leave.replace(/\/v1\/sessions\/.*$/, '');
}

/** The picture of the scene, behind everybody. */
export function backdrop(manifest: SessionManifest): HTMLImageElement | undefined {
  const { assets } = (manifest.location ?? {}) as { assets?: unknown[] };
  const path = assets?.find((one): one is string => typeof one === 'string' && isImage.test(one));
  if (path === undefined) return undefined;
  const image = picture(assetUrl(path, { baseUrl: homeOf(manifest) }));
  image.className = 'backdrop';
  return image;
}

/** Decoration: what it shows is said elsewhere. One that cannot be had is not shown broken. */
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
