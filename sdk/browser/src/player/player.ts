import type { LiveExperience } from '../core/experience.ts';
import { callSafely } from '../core/report.ts';
import { defaultTexts } from '../default-texts.ts';
import { make } from '../dom.ts';
import type { Events, Message, Player, PlayerOptions, Suggestion, TextKey } from '../types.ts';
import { maxTextCharacters } from '../wire.ts';
import { Captions } from './captions.ts';
import { drawButtons, drawFront, isHeard } from './chrome.ts';
import { countdown } from './countdown.ts';
import { disclosures, type Engines } from './disclosures.ts';
import { keepFocus, makeParts, set, write } from './parts.ts';
import { stateReporter } from './player-state.ts';
import { pressOrHold } from './press-or-hold.ts';
import { RendererHost } from './renderer-host.ts';
import { safeReturnUrl } from './return-url.ts';
import { startCheck } from './start-check.ts';
import { micTexts, textOfError } from './texts.ts';

/** Milliseconds by which the end of a session and the end that a notice announces may differ. */
const noticeToleranceMs = 10_000;

/** The player: renderer, captions and controls. */
export class PlayerView implements Player {
  isDetached = false;
  readonly #experience: LiveExperience;
  readonly #captions = new Captions();
  readonly #parts = makeParts(this.#captions);
  readonly #renderers: RendererHost;
  readonly #countdown = countdown(() => this.#render());
  /** Only with the option `check`, until the first start. */
  readonly #check: ReturnType<typeof startCheck> | undefined;
  readonly #reportState = stateReporter();
  readonly #off: (() => void)[] = [];
  #options: PlayerOptions;
  #showsCaptions: boolean;
  #engines: Engines | undefined;
  #notice = '';
  /** Tools that the character has called and that have not answered. */
  #toolsRunning = 0;
  /** Whether the notice announces the maximum duration: words of the visitor do not extend it. */
  #isLastNotice = false;
  /** When the session began to connect, on the clock of `performance.now()`; NaN if the player was attached later. */
  #connectingAt = Number.NaN;
  #frame = 0;

  constructor(experience: LiveExperience, options: PlayerOptions) {
    this.#experience = experience;
    this.#options = options;
    this.#showsCaptions = options.captions ?? true;
    this.#renderers = new RendererHost(this.#parts.stage, experience);
    if (experience.options.check && experience.state === 'idle')
      this.#check = startCheck(experience, () => this.#render());
    this.#listen();
    this.#follow();
    // The session may already be running: show its current state.
    for (const message of experience.messages) this.#caption(message);
    this.#engines = experience.engines as Engines | undefined;
    this.#suggest(experience.suggestions);
    if (experience.mode) this.#renderers.mode(experience.mode);
    this.#render();
  }

  get element(): HTMLElement {
    return this.#parts.element;
  }

  update(options: Partial<PlayerOptions>): void {
    if (options.captions !== undefined && options.captions !== this.#options.captions)
      this.#showsCaptions = options.captions;
    this.#options = { ...this.#options, ...options };
    this.#render();
  }

  close(): void {
    this.#closeBecause('api');
  }

  detach(): void {
    this.isDetached = true;
    for (const off of this.#off.splice(0)) off();
    this.#countdown.stop();
    this.#check?.stop();
    cancelAnimationFrame(this.#frame);
    this.#renderers.clear();
    this.element.remove();
  }

  #caption(message: Message): void {
    const { characters = [] } = this.#experience.session ?? {};
    const character = characters.find(({ characterId }) => characterId === message.characterId);
    const speaker = message.role === 'user' ? this.#text('you') : (character ?? characters[0])?.name;
    this.#captions.show(message, speaker ?? '');
  }

  #text = (key: TextKey): string => this.#options.texts?.[key] ?? defaultTexts[key];

  #listen(): void {
    const { mic, output } = this.#experience;
    const parts = this.#parts;
    parts.start.onclick = () => void this.#experience.start().catch(() => {});
    parts.close.onclick = (event) => {
      // Ignore the second click of a double click: the close button may have appeared after the first.
      if (event.detail < 2) this.#closeBecause('button');
    };
    parts.hear.onclick = this.#unblock;
    parts.sound.onclick = () => {
      this.#unblock();
      if (output.muted) output.unmute();
      else output.mute();
    };
    parts.cc.onclick = () => {
      this.#showsCaptions = !this.#showsCaptions;
      this.#render();
    };
    pressOrHold(parts.mic, {
      isOn: () => isHeard(this.#experience, this.#engines),
      canHold: () => this.#experience.manifest?.speechInputMode === 'manual',
      set: (isOn) => {
        this.#unblock();
        if (isOn) mic.unmute();
        else mic.mute();
      },
    });
    // The browser refuses to send the form of a text that is too long, and shows why.
    parts.input.oninput = () => {
      const excess = parts.input.value.trim().length - maxTextCharacters;
      const problem = this.#text('tooLong').replaceAll('{count}', String(excess));
      parts.input.setCustomValidity(excess > 0 ? problem : '');
      parts.input.setAttribute('aria-invalid', String(excess > 0));
    };
    parts.form.onsubmit = (event) => {
      event.preventDefault();
      this.#say(parts.input.value);
      parts.input.value = '';
    };
    this.element.onkeydown = (event) => {
      // In Safari, the key that ends an IME composition has `isComposing` false and the key code 229.
      const isComposing = event.isComposing || event.keyCode === 229;
      if (event.key !== 'Escape' || isComposing || parts.close.hidden) return;
      event.stopPropagation();
      this.#closeBecause('escape');
    };
  }

  /** Subscribes to the events of the experience. */
  #follow(): void {
    const on = <K extends keyof Events>(event: K, handler: (payload: Events[K]) => void) =>
      this.#off.push(this.#experience.on(event, handler));
    on('stateChange', (state) => {
      if (state === 'minting') this.#begin();
      if (state === 'connecting') this.#connectingAt = performance.now();
      this.#render();
    });
    on('modeChange', (mode) => {
      this.#renderers.mode(mode);
      if (mode === 'listening') this.#toolsRunning = 0;
      this.#render();
    });
    on('message', (message) => {
      this.#caption(message);
      if (message.role !== 'user') return;
      // Input from the visitor: remove the notice that the session ends soon because of silence.
      if (!this.#isLastNotice) this.#notice = '';
      if (message.status === 'final') this.#suggest([]);
      this.#render();
    });
    on('suggestions', (items) => this.#suggest(items));
    for (const event of ['micChange', 'outputChange', 'error', 'ended'] as const)
      on(event, () => this.#render());
    on('runtimeEvent', (event) => {
      if (event.type === 'ready') this.#engines = event.engines as Engines;
      if (event.type === 'notice' && event.code === 'ENDING_SOON') this.#warn(Number(event.secondsLeft));
      if (event.type === 'tool')
        this.#toolsRunning = Math.max(0, this.#toolsRunning + (event.status === 'running' ? 1 : -1));
      if (event.type === 'ready' || event.type === 'notice' || event.type === 'tool') this.#render();
    });
  }

  #begin(): void {
    this.#check?.stop();
    this.#captions.clear();
    this.#suggest([]);
    this.#engines = undefined;
    this.#notice = '';
    this.#isLastNotice = false;
    this.#toolsRunning = 0;
  }

  #warn(secondsLeft: number): void {
    this.#notice = this.#text('endingSoon').replaceAll('{seconds}', String(secondsLeft));
    const maxMs = (this.#experience.manifest?.limits?.maxSeconds ?? Number.NaN) * 1000;
    const leftMs = this.#connectingAt + maxMs - performance.now();
    this.#isLastNotice = leftMs < secondsLeft * 1000 + noticeToleranceMs;
  }

  /** Lets the browser play sound if it waits for a click or a key. Call it in the handler of one. */
  #unblock = (): void => {
    const { output } = this.#experience;
    if (output.blocked) output.unblock().catch(() => {});
  };

  #say(text: string): void {
    this.#unblock();
    if (this.#experience.isRunning) this.#experience.sendText(text);
  }

  #suggest(items: readonly Suggestion[]): void {
    const chips = items.map(({ text, locale }) => {
      const chip = make('button', { type: 'button', class: 'chip', lang: locale, dir: 'auto' }, text);
      chip.onclick = () => this.#say(text);
      return chip;
    });
    keepFocus(this.#parts, () => this.#parts.suggestions.replaceChildren(...chips));
  }

  #closeBecause(reason: 'button' | 'escape' | 'api'): void {
    let isPrevented = false;
    const preventDefault = () => {
      isPrevented = true;
    };
    callSafely(() => this.#options.onClose?.({ reason, preventDefault }));
    if (isPrevented) return;
    const url = safeReturnUrl(this.#options.returnUrl ?? this.#experience.manifest?.player?.returnUrl);
    void this.#experience.endBecause('closed').then(() => {
      if (url !== undefined) location.assign(url);
    });
  }

  #render(): void {
    keepFocus(this.#parts, () => this.#draw());
    this.#reportState(this.#experience, this.#showsCaptions, this.#options.onStateUpdate);
  }

  #draw(): void {
    const parts = this.#parts;
    const { state, mode, mic, output, error, manifest, isRunning } = this.#experience;
    const isBefore = !isRunning && state !== 'ending';
    if (isRunning && manifest) this.#renderers.show(manifest, this.#options.fit ?? 'contain');
    parts.root.dataset.state = state;
    parts.root.dataset.mode = mode ?? '';
    parts.root.classList.toggle('bare', !this.#showsCaptions);
    parts.root.setAttribute('aria-label', manifest?.experience.title ?? this.#text('captions'));
    parts.title.textContent = manifest?.experience.title ?? '';
    set(parts.status, this.#text(this.#doing()));
    parts.panel.hidden = state === 'idle' || (isBefore && this.#experience.messages.length === 0);
    parts.form.hidden = this.#options.textInput === false || isBefore;
    parts.suggestions.hidden = isBefore;
    parts.suggestions.setAttribute('aria-label', this.#text('suggestions'));
    this.#captions.element.hidden = !this.#showsCaptions;
    this.#captions.element.setAttribute('aria-label', this.#text('captions'));
    this.#captions.setSpoken(!output.muted && !output.blocked && this.#engines?.speech.kind !== 'captions');
    const look = {
      experience: this.#experience,
      options: this.#options,
      engines: this.#engines,
      isBefore,
      hindrance: state === 'idle' ? this.#check?.why : undefined,
      showsCaptions: this.#showsCaptions,
      text: this.#text,
    };
    const wait = this.#countdown.left(state === 'failed' ? error : null);
    drawFront(parts, look, this.#doing(), wait);
    drawButtons(parts, look);
    const micText = micTexts[mic.status];
    const warnings = [this.#notice, micText && this.#text(micText)];
    parts.note.hidden = !isRunning;
    write(parts.alert, isRunning ? warnings.filter(Boolean).join(' ') : '');
    write(parts.facts, disclosures(this.#engines, manifest, this.#text).join(' '));
    if (state === 'live' && !this.#frame) this.#animate();
  }

  /** Key of the status text. */
  #doing(): TextKey {
    const { state, mode, error } = this.#experience;
    if (state === 'live') return this.#toolsRunning > 0 ? 'lookingUp' : (mode ?? 'listening');
    if (state === 'ended' && this.#experience.wasCutShort) return 'lost';
    if (state === 'idle') return this.#check?.why ?? state;
    return state === 'failed' && error ? textOfError(error) : state;
  }

  #animate = (): void => {
    const { state, output, mic } = this.#experience;
    // Also runs once after the session has ended, when the levels are 0, so that no old level stays displayed.
    this.#renderers.level(output.level());
    this.#parts.mic.style.setProperty('--level', mic.level().toFixed(2));
    const goesOn = !this.isDetached && (state === 'live' || state === 'reconnecting');
    this.#frame = goesOn ? requestAnimationFrame(this.#animate) : 0;
  };
}
