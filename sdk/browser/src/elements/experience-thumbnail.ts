import { assetUrl } from '../assets.ts';
import { make, makeDiv } from '../dom.ts';
import { initialsOf } from '../renderers/portrait.ts';
import { attachStyledShadow } from '../shadow.ts';
import css from './elements.css';

const widths = [160, 320, 640, 960, 1280];

/** Creates the class on demand: HTMLElement does not exist on a server. */
export function thumbnailElement(): CustomElementConstructor {
  return class ExperienceThumbnailElement extends HTMLElement {
    static readonly observedAttributes = ['avatar-image', 'background-image', 'title', 'base-url', 'sizes'];

    constructor() {
      super();
      attachStyledShadow(this, css);
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
      const box = makeDiv('thumbnail');
      if (background) box.append(this.#image(background, 'background', avatar ? '' : title));
      if (avatar) box.append(this.#image(avatar, 'avatar', title));
      else if (!background)
        box.append(make('span', { class: 'initials', role: 'img', 'aria-label': title }, initialsOf(title)));
      this.shadowRoot?.replaceChildren(box);
    }

    /** Treats "null" as absent: catalogs have null for missing images, and frameworks may stringify it. */
    #path(name: string): string | null {
      const value = this.getAttribute(name);
      return value === 'null' ? null : value;
    }

    #image(path: string, className: string, alt: string): HTMLImageElement {
      const baseUrl = this.getAttribute('base-url') ?? undefined;
      const at = (width?: number) => assetUrl(path, { baseUrl, width });
      const isRaster = !/\.svg(?:\?|$)/.test(path);
      return make('img', {
        class: className,
        alt,
        loading: 'lazy',
        decoding: 'async',
        sizes: isRaster && (this.getAttribute('sizes') ?? 'auto, 320px'),
        srcset: isRaster && widths.map((width) => `${at(width)} ${width}w`).join(', '),
        src: at(),
      });
    }
  };
}
