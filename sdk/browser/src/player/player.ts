import { report } from '../core/emitter.ts';
import type { LiveExperience } from '../core/experience.ts';
import type { Events, Player, PlayerOptions, PlayerState, State, Suggestion, TextKey } from '../types.ts';
import { Captions } from './captions.ts';
import { draw, icon, iconButton, make, name } from './dom.ts';
import { Face } from './face.ts';
import { safeReturnUrl } from './return-url.ts';
import { playerSheet } from './sheet.ts';
import { defaultTexts, filled, micTexts, textOfError } from './texts.ts';

const busy: readonly State[] = ['minting', 'connecting', 'live', 'reconnecting'];
const before: readonly State[] = ['idle', 'ended', 'failed'];

type Engines = Record<'mind' | 'speech' | 'hearing', { kind: string; name?: string }>;

/** The face, what is said, and the buttons around them. */
export class PlayerView implements Player {
  readonly element = make('div', { class: 'session-launch-player', tabindex: '-1' });
  isDetached = false;
  readonly #experience: LiveExperience;
  readonly #captions = new Captions();
  readonly #face: Face;
  readonly #root: HTMLElement;
  readonly #stage = make('div', { class: 'stage' });
  readonly #status = make('p', { class: 'status', role: 'status' });
  readonly #title = make('p', { class: 'title' });
  readonly #poster = make('div', { class: 'poster' });
  readonly #front = make('div', { class: 'front' });
  /** The status again, for the eye: what is said aloud is said once. */
  readonly #apology = make('p', { class: 'apology', 'aria-hidden': 'true' });
  readonly #start = make('button', { type: 'button', class: 'start' }, icon('play'), make('span'));
  readonly #hear = make('button', { type: 'button', class: 'hear' }, icon('sound'), make('span'));
  readonly #close = iconButton('close', 'close');
  readonly #sound = iconButton('sound', 'sound');
  readonly #captionsButton = iconButton('cc', 'captions');
  readonly #micButton = iconButton('mic', 'mic');
  readonly #send = iconButton('send', 'send');
  readonly #input = make('input', {
    type: 'text',
    maxlength: '4000',
    autocomplete: 'off',
    enterkeyhint: 'send',
  });
  readonly #form = make('form', { class: 'form' });
  readonly #suggestions = make('div', { class: 'suggestions', role: 'group' });
  readonly #note = make('p', { class: 'note' });
  readonly #panel = make('div', { class: 'panel' });
  readonly #off: (() => void)[] = [];
  #options: PlayerOptions;
  #showsCaptions: boolean;
  #engines: Engines | undefined;
  #notice = '';
  #frame = 0;
  #countdown: ReturnType<typeof setTimeout> | undefined;
  #retryAt = 0;

  constructor(experience: LiveExperience, options: PlayerOptions) {
    this.#experience = experience;
    this.#options = options;
    this.#showsCaptions = options.captions ?? true;
    this.#face = new Face(this.#stage, experience);
    const buttons = make('div', { class: 'corner' }, this.#sound, this.#captionsButton, this.#close);
    this.#send.type = 'submit';
    this.#form.append(this.#micButton, this.#input, this.#send);
    this.#front.append(this.#apology, this.#start);
    this.#panel.append(this.#title, this.#captions.element, this.#suggestions, this.#form, this.#note);
    this.#root = make(
      'div',
      { class: 'player', role: 'group' },
      make('div', { class: 'scene' }, this.#stage, this.#poster, this.#status, this.#front, this.#hear),
      this.#panel,
      buttons,
    );
    const shadow = this.element.attachShadow({ mode: 'open' });
    shadow.adoptedStyleSheets = [playerSheet()];
    shadow.append(this.#root);
    this.#listen();
    this.#follow();
    // It may have been going on for a while.
    for (const message of experience.messages) this.#captions.show(message, this.#names);
    this.#engines = experience.engines as Engines | undefined;
    this.#suggest(experience.suggestions);
    if (experience.mode) this.#face.mode(experience.mode);
    this.#render();
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
    clearTimeout(this.#countdown);
    cancelAnimationFrame(this.#frame);
    this.#face.clear();
    this.element.remove();
  }

  get #names() {
    const { characters = [] } = this.#experience.session ?? {};
    return {
      you: this.#text('you'),
      of: (id: string | undefined) =>
        (characters.find(({ characterId }) => characterId === id) ?? characters[0])?.name ?? '',
    };
  }

  #text(key: TextKey): string {
    return this.#options.texts?.[key] ?? defaultTexts[key];
  }

  #listen(): void {
    const { mic, output } = this.#experience;
    this.#start.onclick = () => {
      const hadFocus = this.#isFocused(this.#start);
      this.#experience.start().catch(() => {});
      // Whoever pressed it with a key stays inside.
      if (hadFocus) this.element.focus();
    };
    this.#close.onclick = (event) => {
      // The second half of a double click meant what was there before.
      if (event.detail < 2) this.#closeBecause('button');
    };
    this.#hear.onclick = () => void output.unblock().catch(() => {});
    this.#sound.onclick = () => (output.muted ? output.unmute() : output.mute());
    this.#captionsButton.onclick = () => {
      this.#showsCaptions = !this.#showsCaptions;
      this.#render();
    };
    this.#micButton.onclick = () => (mic.status === 'on' ? mic.mute() : mic.unmute());
    this.#form.onsubmit = (event) => {
      event.preventDefault();
      this.#say(this.#input.value);
      this.#input.value = '';
    };
    this.element.onkeydown = (event) => {
      if (event.key !== 'Escape' || event.isComposing || this.#close.hidden) return;
      event.stopPropagation();
      this.#closeBecause('escape');
    };
  }

  /** Everything that the experience tells. */
  #follow(): void {
    const on = <K extends keyof Events>(event: K, handler: (payload: Events[K]) => void) =>
      this.#off.push(this.#experience.on(event, handler));
    on('stateChange', (state) => {
      if (state === 'minting') this.#begin();
      this.#render();
    });
    on('modeChange', (mode) => {
      this.#face.mode(mode);
      this.#render();
    });
    on('message', (message) => {
      this.#captions.show(message, this.#names);
      if (message.role !== 'user') return;
      // Typed or spoken: somebody is there.
      this.#notice = '';
      if (message.status === 'final') this.#suggest([]);
      this.#render();
    });
    on('suggestions', (items) => this.#suggest(items));
    on('micChange', () => this.#render());
    on('outputChange', () => this.#render());
    on('error', () => this.#render());
    on('ended', () => this.#render());
    on('runtimeEvent', (event) => {
      if (event.type === 'ready') this.#engines = event.engines as Engines;
      if (event.type === 'notice' && event.code === 'ENDING_SOON')
        this.#notice = filled(this.#text('endingSoon'), { seconds: String(event.secondsLeft) });
      if (event.type === 'ready' || event.type === 'notice') this.#render();
    });
  }

  #begin(): void {
    this.#captions.clear();
    this.#suggest([]);
    this.#face.clear();
    this.#engines = undefined;
    this.#notice = '';
    this.#retryAt = 0;
  }

  #say(text: string): void {
    if (text.trim() === '' || !busy.includes(this.#experience.state)) return;
    this.#experience.sendText(text);
  }

  #suggest(items: readonly Suggestion[]): void {
    this.#suggestions.replaceChildren(
      ...items.map(({ text, locale }) => {
        const chip = make('button', { type: 'button', class: 'chip', lang: locale, dir: 'auto' }, text);
        chip.onclick = () => this.#say(text);
        return chip;
      }),
    );
  }

  #closeBecause(reason: 'button' | 'escape' | 'api'): void {
    let isPrevented = false;
    const preventDefault = () => {
      isPrevented = true;
    };
    try {
      this.#options.onClose?.({ reason, preventDefault });
    } catch (error) {
      report(error);
    }
    if (isPrevented) return;
    const url = safeReturnUrl(this.#options.returnUrl ?? this.#experience.manifest?.player?.returnUrl);
    void this.#experience.endBecause('closed').then(() => {
      if (url !== undefined) location.assign(url);
    });
  }

  #isFocused(element: Element): boolean {
    return this.element.shadowRoot?.activeElement === element;
  }

  #render(): void {
    const { state, mode, mic, output, manifest } = this.#experience;
    const isBusy = busy.includes(state);
    const isBefore = before.includes(state);
    const wasInFront = !this.#front.hidden;
    if (isBusy && manifest) this.#face.show(manifest, this.#options.fit ?? 'contain');
    this.#root.dataset.state = state;
    this.#root.dataset.mode = mode ?? '';
    this.#root.classList.toggle('bare', !this.#showsCaptions);
    this.#root.setAttribute('aria-label', manifest?.experience.title ?? this.#text('captions'));
    this.#title.textContent = manifest?.experience.title ?? '';
    set(this.#status, this.#text(this.#doing()));
    this.#renderFront(isBefore);
    this.#panel.hidden = state === 'idle' || (isBefore && this.#experience.messages.length === 0);
    this.#form.hidden = this.#options.textInput === false || isBefore;
    this.#suggestions.hidden = isBefore;
    this.#captions.element.hidden = !this.#showsCaptions;
    this.#captions.element.setAttribute('aria-label', this.#text('captions'));
    this.#captions.setSpoken(!output.muted && !output.blocked && this.#engines?.speech.kind !== 'captions');
    this.#suggestions.setAttribute('aria-label', this.#text('suggestions'));
    this.#renderButtons(isBusy);
    const micText = micTexts[mic.status];
    set(
      this.#note,
      isBusy
        ? [this.#notice, micText && this.#text(micText), ...this.#honesty()].filter(Boolean).join(' ')
        : '',
    );
    if (!this.#front.hidden && !wasInFront && document.activeElement === this.element) this.#start.focus();
    if (state === 'live' && !this.#frame) this.#animate();
    this.#tellState();
  }

  /** Start, and why there is nothing else to see. */
  #renderFront(isBefore: boolean): void {
    const { state, error, manifest } = this.#experience;
    const given = this.#options.startButton ?? manifest?.player?.startButton ?? true;
    this.#front.hidden = !isBefore;
    this.#poster.hidden = state !== 'idle' && manifest !== undefined;
    this.#start.hidden = given === false;
    const poster = this.#options.poster;
    const shown = this.#poster.querySelector('img');
    if (poster !== shown?.getAttribute('src'))
      this.#poster.replaceChildren(...(poster ? [make('img', { src: poster, alt: '' })] : []));
    const left = this.#secondsToWait(error?.retryAfterMs, state);
    const label =
      typeof given === 'object' && typeof given.label === 'string' ? given.label : this.#text('start');
    const text =
      left > 0
        ? filled(this.#text('retryIn'), { seconds: left })
        : state === 'idle'
          ? label
          : this.#text('restart');
    set(this.#start.querySelector('span')!, text);
    this.#start.disabled = left > 0;
    set(this.#apology, isBefore && state !== 'idle' ? this.#text(this.#doing()) : '');
  }

  /** What is going on, or why nothing is. */
  #doing(): TextKey {
    const { state, mode, error } = this.#experience;
    if (state === 'live') return mode ?? 'listening';
    return state === 'failed' && error ? textOfError(error.code) : state;
  }

  #secondsToWait(retryAfterMs: number | undefined, state: State): number {
    if (state !== 'failed' || retryAfterMs === undefined) return 0;
    this.#retryAt ||= performance.now() + retryAfterMs;
    const left = Math.ceil((this.#retryAt - performance.now()) / 1000);
    clearTimeout(this.#countdown);
    if (left > 0) this.#countdown = setTimeout(() => this.#render(), 1000);
    return left;
  }

  #renderButtons(isBusy: boolean): void {
    const { mic, output, manifest, state } = this.#experience;
    const closing = this.#options.closeButton ?? manifest?.player?.closeButton ?? true;
    const leadsOn = this.#options.onClose !== undefined || this.#options.returnUrl !== undefined;
    this.#close.hidden =
      closing === false || !(isBusy || (leadsOn && this.#options.closeButton !== undefined));
    const label =
      typeof closing === 'object' && typeof closing.label === 'string' ? closing.label : this.#text('close');
    name(this.#close, label);
    this.#sound.hidden = !isBusy;
    name(this.#sound, this.#text(output.muted ? 'unmute' : 'mute'));
    draw(this.#sound, output.muted ? 'soundOff' : 'sound');
    this.#captionsButton.hidden = !isBusy;
    name(this.#captionsButton, this.#text('showCaptions'));
    this.#captionsButton.setAttribute('aria-pressed', String(this.#showsCaptions));
    this.#hear.hidden = !output.blocked;
    set(this.#hear.querySelector('span')!, this.#text('hear'));
    const hears = manifest?.capabilities.includes('speech-input') && this.#engines?.hearing.kind !== 'none';
    this.#micButton.hidden = !hears;
    const isOn = mic.status === 'on';
    const off: TextKey = manifest?.speechInputMode === 'manual' ? 'micHold' : 'micOff';
    name(this.#micButton, this.#text(micTexts[mic.status] ?? (isOn ? 'micOn' : off)));
    draw(this.#micButton, isOn ? 'mic' : 'micOff');
    this.#micButton.setAttribute('aria-pressed', String(isOn));
    this.#micButton.disabled = state !== 'live';
    this.#input.placeholder = this.#text('input');
    this.#input.setAttribute('aria-label', this.#text('input'));
    name(this.#send, this.#text('send'));
  }

  /** Who is behind the face. */
  #honesty(): string[] {
    if (!this.#engines) return [];
    const { mind, speech, hearing } = this.#engines;
    const lines = [
      mind.kind === 'script'
        ? this.#text('scripted')
        : filled(this.#text('modelled'), { name: mind.name ?? '' }),
    ];
    if (speech.kind === 'client') lines.push(this.#text('pageVoice'));
    if (speech.kind === 'captions') lines.push(this.#text('noVoice'));
    const takesSpeech = this.#experience.manifest?.speechInputMode !== 'off';
    if (hearing.kind === 'none' && takesSpeech) lines.push(this.#text('noHearing'));
    return lines;
  }

  #animate = (): void => {
    if (this.#experience.state !== 'live' || this.isDetached) {
      this.#frame = 0;
      return;
    }
    this.#frame = requestAnimationFrame(this.#animate);
    this.#face.level(this.#experience.output.level());
    this.#micButton.style.setProperty('--level', this.#experience.mic.level().toFixed(2));
  };

  #tellState(): void {
    const { state, mode, mic, output, session, error, endReason } = this.#experience;
    const update: PlayerState = {
      state,
      mode,
      mic: mic.status,
      outputBlocked: output.blocked,
      captions: this.#showsCaptions,
      ...(session ? { sessionId: session.sessionId } : {}),
      ...(error ? { error } : {}),
      ...(endReason ? { endReason } : {}),
    };
    const text = JSON.stringify(update, (key, value) => (key === 'error' ? value.code : value));
    if (text === this.#told) return;
    this.#told = text;
    try {
      this.#options.onStateUpdate?.(Object.freeze(update));
    } catch (failure) {
      report(failure);
    }
  }

  #told = '';
}

/** Only what has changed is written: screen readers would say it again. */
function set(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}
