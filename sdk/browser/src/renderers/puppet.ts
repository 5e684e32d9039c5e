import { makeDiv, setAttributes } from '../dom.ts';
import type { Mode, Renderer, RendererFactory, SessionManifest, SpeechCue } from '../types.ts';
import { Figure } from './figure.ts';
import { artUrl, backdrop, picture } from './images.ts';
import { importPicture } from './import-picture.ts';
import type { FaceFigure } from './motion/face-figure.ts';
import { artFolder, fetchRig, timeoutMs } from './rig.ts';
import { fetchSvg } from './safe-svg.ts';

const aspect: Record<string, string> = {
  contain: 'xMidYMax meet',
  cover: 'xMidYMin slice',
  fill: 'none',
};

/** Animated characters with blinking and lip sync: drawings, which also breathe and look around, and pictures. */
export const puppet: RendererFactory = {
  name: 'puppet',
  accepts: (character, manifest) => !manifest.speechOnly && artFolder(character) !== undefined,
  load: async () => (host, manifest, fit) => new Puppets(host, manifest, fit),
};

class Puppets implements Renderer {
  readonly ready: Promise<unknown>;
  readonly #figures = new Map<string, FaceFigure>();
  readonly #root: HTMLElement;
  readonly #still = matchMedia('(prefers-reduced-motion: reduce)');
  #mode: Mode | undefined;
  #frame = 0;
  #drawnAt = 0;

  constructor(host: HTMLElement, manifest: SessionManifest, fit: string) {
    const scene = backdrop(manifest);
    const cast = makeDiv('cast');
    cast.dataset.fit = fit;
    this.#root = makeDiv('puppets', ...(scene ? [scene] : []), cast);
    host.append(this.#root);
    this.ready = Promise.all(
      manifest.characters.map((character) => this.#enter(cast, character, manifest, fit)),
    ).then(() => {
      if (this.#figures.size === 0) throw new Error('no character has a rig');
      this.#draw();
    });
  }

  mode(mode: Mode): void {
    this.#mode = mode;
  }

  cue(cue: unknown): void {
    const speech = cue as SpeechCue;
    if (speech.type === 'speech') this.#figures.get(speech.characterId)?.hear(speech);
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    this.#root.remove();
  }

  /** Adds a character. Without a rig it is a still picture. */
  async #enter(
    cast: HTMLElement,
    character: SessionManifest['characters'][number],
    manifest: SessionManifest,
    fit: string,
  ): Promise<void> {
    const place = makeDiv('figure');
    cast.append(place);
    const folder = artFolder(character);
    const rig = await fetchRig(artUrl(manifest, `${folder}/rig.json`));
    if (!rig) {
      place.append(picture(artUrl(manifest, `${folder}/full.svg`)));
      return;
    }
    if (rig.rig === 2) {
      const { openPicture } = await importPicture(artUrl(manifest, '/sdk/v2/picture.mjs'));
      const source = artUrl(manifest, folder!);
      const signal = AbortSignal.timeout(timeoutMs);
      this.#figures.set(character.characterId, await openPicture(place, rig, source, fit, signal));
      return;
    }
    const drawing = await fetchSvg(artUrl(manifest, `${folder}/${rig.image}`));
    setAttributes(drawing, {
      preserveAspectRatio: aspect[fit] ?? aspect.contain,
      width: '100%',
      height: '100%',
      'aria-hidden': 'true',
    });
    drawing.querySelector('title')?.remove();
    // A shadow root per character, because the SVGs of different characters use the same ids.
    place.attachShadow({ mode: 'open' }).append(drawing);
    this.#figures.set(character.characterId, new Figure(drawing, rig));
  }

  #draw = (): void => {
    this.#frame = requestAnimationFrame(this.#draw);
    const now = performance.now() / 1000;
    const elapsed = Math.min(0.1, now - this.#drawnAt);
    this.#drawnAt = now;
    for (const figure of this.#figures.values()) figure.draw(now, elapsed, this.#mode, this.#still.matches);
  };
}
