import { languageOf } from '../core/locale.ts';
import { make } from '../dom.ts';
import type { Message } from '../types.ts';

/** The log of messages, one line each. */
export class Captions {
  readonly element = make('div', { class: 'log', role: 'log', tabindex: '0', 'aria-live': 'off' });
  readonly #lines = new Map<string, HTMLElement>();
  /** Whether to scroll to the end on new messages. False while the visitor has scrolled up. */
  #follows = true;

  constructor() {
    this.element.onscroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = this.element;
      this.#follows = scrollHeight - scrollTop - clientHeight < 60;
    };
    // Rotating the device or hiding the text field changes the height: scroll to the end again.
    new ResizeObserver(() => this.#follow()).observe(this.element);
  }

  clear(): void {
    this.#lines.clear();
    this.#follows = true;
    this.element.replaceChildren();
  }

  /** Lets screen readers announce messages only if the character has no audible voice. */
  setSpoken(isSpoken: boolean): void {
    this.element.setAttribute('aria-live', isSpoken ? 'off' : 'polite');
  }

  show(message: Message, speaker: string): void {
    const { id, role, status, text, locale, spans = [{ locale, text }], interrupted } = message;
    const line = this.#lines.get(id) ?? make('p');
    const language = languageOf(spans[0]?.locale ?? '');
    line.className = `line ${role}${interrupted ? ' cut' : ''}`;
    line.replaceChildren(
      make('span', { class: 'who' }, speaker),
      ...spans.map((span) => {
        const isOther = languageOf(span.locale ?? '') !== language;
        const shown = { class: isOther ? 'said other' : 'said', dir: 'auto', lang: span.locale };
        return make('span', shown, span.text);
      }),
    );
    if (!this.#lines.has(id)) this.element.append(line);
    this.#lines.set(id, line);
    // Screen readers announce a growing message only when it is complete.
    this.element.setAttribute('aria-busy', String(status === 'partial'));
    this.#follow();
  }

  #follow(): void {
    if (this.#follows) this.element.scrollTop = this.element.scrollHeight;
  }
}
