import { make, makeDiv } from '../dom.ts';
import type { Mode, Renderer, RendererFactory, SessionManifest } from '../types.ts';
import { artUrl, backdrop, picture } from './images.ts';
import { artFolder } from './rig.ts';

const bars = 25;

/** The fallback renderer: a still picture in a ring that shows the level, or a waveform for sessions without a picture. */
export const portrait: RendererFactory = {
  name: 'portrait',
  accepts: () => true,
  load: async () => (host, manifest) =>
    manifest.speechOnly || !hasFace(manifest) ? wave(host) : faces(host, manifest),
};

const hasFace = ({ characters }: SessionManifest) => characters.some(({ avatar }) => avatar !== undefined);

function faces(host: HTMLElement, manifest: SessionManifest): Renderer {
  const scene = backdrop(manifest);
  const rings = manifest.characters.map((character) => {
    const { avatar = {}, name } = character;
    const own = [avatar.imagePath, avatar.thumbnailPath].find((path) => typeof path === 'string');
    const folder = artFolder(character);
    const path = own ?? (folder && `${folder}/thumb.svg`);
    const initials = makeDiv('initials', initialsOf(name));
    return makeDiv('ring', initials, ...(path ? [picture(artUrl(manifest, path as string))] : []));
  });
  const root = makeDiv('portraits', ...(scene ? [scene] : []), makeDiv('rings', ...rings));
  host.append(root);
  return rendererOf(root, (level) => root.style.setProperty('--level', level.toFixed(3)));
}

function wave(host: HTMLElement): Renderer {
  const lines = Array.from({ length: bars }, () => make('i'));
  const root = makeDiv('wave', ...lines);
  host.append(root);
  return rendererOf(root, (level) => {
    // Bars are highest in the middle.
    const middle = (bars - 1) / 2;
    lines.forEach((line, i) => {
      const distance = Math.abs(i - middle) / middle;
      const ripple = 0.55 + 0.45 * Math.sin(performance.now() / 90 + i * 1.7);
      const height = 0.08 + 0.05 * ripple + Math.min(0.87, level * 1.3) * (1 - 0.75 * distance) * ripple;
      line.style.transform = `scaleY(${height.toFixed(3)})`;
    });
  });
}

function rendererOf(root: HTMLElement, level: (level: number) => void): Renderer {
  return {
    mode: (mode: Mode) => {
      root.dataset.mode = mode;
    },
    level,
    destroy: () => root.remove(),
  };
}

export function initialsOf(name: string): string {
  return name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();
}
