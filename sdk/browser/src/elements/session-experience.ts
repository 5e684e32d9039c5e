import type { LiveExperience } from '../core/experience.ts';
import { createExperience } from '../create.ts';
import { attachStyledShadow } from '../shadow.ts';
import type { Events, Experience, ExperienceOptions, Launch, Player, PlayerOptions } from '../types.ts';
import { optionsOf, playerAttributes, sourceAttributes } from './attributes.ts';
import css from './elements.css';

type Mint = Extract<ExperienceOptions, { mint: unknown }>['mint'];

/** Events that the element dispatches as DOM events, under their lower-case names. */
const forwarded: (keyof Events)[] = ['stateChange', 'modeChange', 'message', 'error', 'ended'];

/** Creates the class on demand: HTMLElement does not exist on a server. */
export function experienceElement(): CustomElementConstructor {
  return class SessionExperienceElement extends HTMLElement {
    static readonly observedAttributes = [...sourceAttributes, ...playerAttributes];
    #experience: Experience | undefined;
    #player: Player | undefined;
    #mint: Mint | undefined;
    #launch: Launch | undefined;
    #texts: PlayerOptions['texts'];
    #isStale = false;
    /** True once the element is connected, and while it is moved. Properties set earlier take effect on connection. */
    #isPlaced = false;

    constructor() {
      super();
      attachStyledShadow(this, css);
    }

    get experience(): Experience | undefined {
      return this.#experience;
    }

    get mint(): Mint | undefined {
      return this.#mint;
    }

    set mint(mint: Mint | undefined) {
      this.#mint = mint;
      this.#renew();
    }

    set launch(launch: Launch | undefined) {
      this.#launch = launch;
      this.#renew();
    }

    get texts(): PlayerOptions['texts'] {
      return this.#texts;
    }

    set texts(texts: PlayerOptions['texts']) {
      this.#texts = texts;
      this.#player?.update(this.#playerOptions());
    }

    connectedCallback(): void {
      if (this.#isPlaced) return;
      // Properties that were set before the element was upgraded shadow the accessors: delete them and set them again.
      for (const property of ['mint', 'launch', 'texts'] as const) {
        if (!Object.hasOwn(this, property)) continue;
        const value = this[property as 'texts'];
        Reflect.deleteProperty(this, property);
        this[property as 'texts'] = value;
      }
      this.#isPlaced = true;
      this.#open();
    }

    disconnectedCallback(): void {
      // Moving an element disconnects it briefly, so check one task later whether it is still disconnected.
      setTimeout(() => {
        if (this.isConnected) return;
        this.#isPlaced = false;
        this.#shut();
      });
    }

    attributeChangedCallback(name: string, before: string | null, after: string | null): void {
      if (before === after) return;
      if (playerAttributes.includes(name)) this.#player?.update(this.#playerOptions());
      else this.#renew();
    }

    /** Replaces the experience in a microtask, once for all changes of the current task. */
    #renew(): void {
      if (this.#isStale || !this.#isPlaced) return;
      this.#isStale = true;
      queueMicrotask(() => {
        this.#isStale = false;
        this.#shut();
        if (this.#isPlaced) this.#open();
      });
    }

    #open(): void {
      const source = this.#mint ? { mint: this.#mint } : { launch: this.#launch };
      const options: Record<string, unknown> = { ...optionsOf(sourceAttributes, this), ...source };
      // There is no source yet: wait for a property or an attribute.
      if (!(options.experienceId ?? this.#mint ?? this.#launch)) return;
      const experience = createExperience(options as unknown as ExperienceOptions) as LiveExperience;
      this.#experience = experience;
      experience.beforeStart = (request) => this.#dispatch('launch', { request }, true);
      for (const event of forwarded)
        experience.on(event, (detail) => this.#dispatch(event.toLowerCase(), detail));
      this.#player = experience.attach(this.shadowRoot as unknown as Element, this.#playerOptions());
      if (this.hasAttribute('autostart')) experience.start().catch(() => {});
    }

    #shut(): void {
      void this.#experience?.end();
      this.#player?.detach();
      this.#experience = undefined;
      this.#player = undefined;
    }

    #playerOptions(): PlayerOptions {
      return {
        ...optionsOf(playerAttributes, this),
        // Undefined resets the texts.
        ...({ texts: this.#texts } as PlayerOptions),
        onStateUpdate: (state) => void this.#dispatch('stateupdate', state),
        onClose: (event) => {
          if (!this.#dispatch('close', { reason: event.reason }, true)) event.preventDefault();
        },
      };
    }

    /** Dispatches a DOM event. Returns false if a listener called `preventDefault`. */
    #dispatch(name: string, detail: unknown, cancelable = false): boolean {
      const options = { detail, cancelable, bubbles: true, composed: true };
      return this.dispatchEvent(new CustomEvent(`experience:${name}`, options));
    }
  };
}
