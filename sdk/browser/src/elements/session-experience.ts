import type { LiveExperience } from '../core/experience.ts';
import { createExperience } from '../create.ts';
import type { Events, Experience, ExperienceOptions, Launch, Player, PlayerOptions } from '../types.ts';
import { optionsOf, playerAttributes, playerOptionsOf, sourceAttributes } from './attributes.ts';
import { blockSheet } from './sheet.ts';

type Mint = Extract<ExperienceOptions, { mint: unknown }>['mint'];

const forwarded: Partial<Record<keyof Events, string>> = {
  stateChange: 'statechange',
  modeChange: 'modechange',
  message: 'message',
  error: 'error',
  ended: 'ended',
};

/** Made when it is needed: there is no HTMLElement on a server. */
export function experienceElement(): CustomElementConstructor {
  return class SessionExperienceElement extends HTMLElement {
    static readonly observedAttributes = [...sourceAttributes, ...playerAttributes];
    #experience: Experience | undefined;
    #player: Player | undefined;
    #mint: Mint | undefined;
    #launch: Launch | undefined;
    #texts: PlayerOptions['texts'];
    #isStale = false;
    /** From the first connection on, and while it is moved: what is set before counts with it. */
    #isPlaced = false;

    constructor() {
      super();
      this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [blockSheet()];
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
      // Set before this class was known, they stand in the way of the accessors.
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
      // Whoever moves an element takes it out for a moment.
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

    /** Once for all that changes in one go. */
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
      const read = (name: string) => this.getAttribute(name);
      const source = this.#mint ? { mint: this.#mint } : this.#launch ? { launch: this.#launch } : {};
      const options = { ...optionsOf(read), ...source } as ExperienceOptions;
      // Nothing to launch yet: a property or an attribute will follow.
      if (!('experienceId' in options || 'mint' in options || 'launch' in options)) return;
      const experience = createExperience(options) as LiveExperience;
      this.#experience = experience;
      experience.beforeStart = (request) => this.#tell('launch', { request }, true);
      for (const [event, name] of Object.entries(forwarded))
        experience.on(event as keyof Events, (detail) => this.#tell(name, detail));
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
        ...playerOptionsOf((name) => this.getAttribute(name)),
        // What is undefined is taken back.
        ...({ texts: this.#texts } as PlayerOptions),
        onStateUpdate: (state) => void this.#tell('stateupdate', state),
        onClose: (event) => {
          if (!this.#tell('close', { reason: event.reason }, true)) event.preventDefault();
        },
      };
    }

    /** False when somebody has prevented it. */
    #tell(name: string, detail: unknown, cancelable = false): boolean {
      const options = { detail, cancelable, bubbles: true, composed: true };
      return this.dispatchEvent(new CustomEvent(`experience:${name}`, options));
    }
  };
}
