import type { LiveExperience } from '../core/experience.ts';
import { ExperienceError } from '../core/experience-error.ts';
import { allRenderers } from '../core/plug-ins.ts';
import { setArtOrigin } from '../renderers/images.ts';
import { portrait } from '../renderers/portrait.ts';
import { puppet } from '../renderers/puppet.ts';
import { video } from '../renderers/video.ts';
import type { Mode, Renderer, SessionManifest } from '../types.ts';

const builtIn = [video, puppet, portrait];

interface Shown {
  manifest: SessionManifest;
  fit: string;
}

/** Selects a renderer for the session and forwards mode, level, cues and video to it. */
export class RendererHost {
  readonly #host: HTMLElement;
  readonly #experience: LiveExperience;
  #renderer: Renderer | undefined;
  #shown: Shown | undefined;
  #mode: Mode | undefined;
  /** Cues that arrive while a renderer loads; undefined if none is loading. */
  #early: unknown[] | undefined;

  constructor(host: HTMLElement, experience: LiveExperience) {
    this.#host = host;
    this.#experience = experience;
    experience.onCue = (cue) => {
      if (this.#renderer) this.#renderer.cue?.(cue);
      else this.#early?.push(cue);
    };
    experience.onVideo = () => this.#renderer?.video?.(experience.video);
  }

  show(manifest: SessionManifest, fit: string): void {
    if (manifest === this.#shown?.manifest && fit === this.#shown.fit) return;
    this.clear();
    const shown = { manifest, fit };
    this.#shown = shown;
    this.#early = [];
    setArtOrigin(manifest, this.#experience.baseUrl);
    void this.#find(shown);
  }

  mode(mode: Mode): void {
    this.#mode = mode;
    this.#renderer?.mode(mode);
  }

  level(level: number): void {
    this.#renderer?.level?.(level);
  }

  clear(): void {
    this.#renderer?.destroy();
    this.#renderer = undefined;
    this.#shown = undefined;
    this.#early = undefined;
  }

  async #find(shown: Shown): Promise<void> {
    const { manifest, fit } = shown;
    const accepting = allRenderers(this.#experience.options.renderers, builtIn).filter((factory) =>
      manifest.characters.every((character) => factory.accepts(character, manifest)),
    );
    for (const factory of accepting) {
      let renderer: Renderer | undefined;
      try {
        const open = await factory.load();
        if (this.#shown !== shown) return;
        renderer = open(this.#host, manifest, fit);
        await renderer.ready;
        if (this.#shown !== shown) return renderer.destroy();
        this.#renderer = renderer;
        if (this.#mode) renderer.mode(this.#mode);
        if (this.#experience.video) renderer.video?.(this.#experience.video);
        for (const cue of this.#early ?? []) renderer.cue?.(cue);
        this.#early = undefined;
        return;
      } catch (cause) {
        renderer?.destroy();
        if (this.#shown !== shown) return;
        // Try the next renderer. If the last one fails, emit a non-fatal error; the session continues without a picture.
        if (factory !== accepting.at(-1)) continue;
        this.#early = undefined;
        const facts = { fatal: false, cause };
        const error = new ExperienceError('RENDERER_FAILED', 'The face cannot be drawn.', facts);
        this.#experience.emit('error', error);
      }
    }
  }
}
