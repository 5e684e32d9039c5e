import { assetUrl } from '../assets.ts';
import { initialsOf } from '../renderers/portrait.ts';
import { blockSheet } from './sheet.ts';

const widths = [160, 320, 640, 960, 1280];

/** Creates the class on demand: HTMLElement does not exist on a server. */
export function thumbnailElement(): CustomElementConstructor {
  return class ExperienceThumbnailElement extends HTMLElement {
    static readonly observedAttributes = ['avatar-image', 'background-image', 'title', 'base-url', 'sizes'];

    constructor() {
      super();
      this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [blockSheet()];
    }

    connectedCallback(): void {
      this.#render();
    }

    attributeChangedCallback(): void {
      if (this.isConnected) this.#render();
    }

    #render(): void {
      const title = this.getAttribute('title') ?? '';
      const [avatar, background] = [this.#path('avatar-image'), this.#path('background-image')];
      const box = document.createElement('div');
      box.className = 'thumbnail';
      if (background) box.append(this.#image(background, 'background', avatar ? '' : title));
      if (avatar) box.append(this.#image(avatar, 'avatar', title));
      else if (!background) {
        const initials = document.createElement('span');
        initials.className = 'initials';
        initials.setAttribute('role', 'img');
        initials.setAttribute('aria-label', title);
        initials.textContent = initialsOf(title);
        box.append(initials);
      }
      this.shadowRoot?.replaceChildren(box);
    }

    /** Treats "null" as absent: catalogs have null for missing images, and frameworks may stringify it. */
    #path(name: string): string | undefined {
      const value = this.getAttribute(name);
      return value && value !== 'null' ? value : undefined;
    }

    #image(path: string, className: string, alt: string): HTMLImageElement {
      const baseUrl = this.getAttribute('base-url') ?? undefined;
      const at = (width?: number) =>
        assetUrl(path, {
          ...(baseUrl === undefined ? {} : { baseUrl }),
          ...(width === undefined ? {} : { width }),
        });
      const image = document.createElement('img');
      image.className = className;
      image.alt = alt;
      image.loading = 'lazy';
      image.decoding = 'async';
      if (!/\.svg(?:\?|$)/.test(path)) {
        image.sizes = this.getAttribute('sizes') ?? 'auto, 320px';
        image.srcset = widths.map((width) => `${at(width)} ${width}w`).join(', ');
      }
      image.src = at();
      return image;
    }
  };
}
