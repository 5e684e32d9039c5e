import type { Message } from '../types.ts';
import { make } from './dom.ts';

export interface Names {
  you: string;
  of(characterId: string | undefined): string;
}

/** What was said, line by line. */
export class Captions {
  readonly element = make('div', { class: 'log', role: 'log', tabindex: '0', 'aria-live': 'off' });
  readonly #lines = new Map<string, HTMLElement>();

  clear(): void {
    this.#lines.clear();
    this.element.replaceChildren();
  }

  /** Read aloud by screen readers only where no voice does it. */
  setSpoken(isSpoken: boolean): void {
    this.element.setAttribute('aria-live', isSpoken ? 'off' : 'polite');
  }

  show(message: Message, names: Names): void {
    const { id, role, status, text, locale, spans = [{ locale, text }], interrupted } = message;
    const isAtEnd = this.element.scrollHeight - this.element.scrollTop - this.element.clientHeight < 60;
    const line = this.#lines.get(id) ?? make('p');
    const who = make('span', { class: 'who' }, role === 'user' ? names.you : names.of(message.characterId));
    line.className = `line ${role}${interrupted ? ' cut' : ''}`;
    line.replaceChildren(
      who,
      ...spans.map((span) => {
        const isOther = languageOf(span.locale) !== languageOf(spans[0]?.locale);
        const shown = { class: isOther ? 'said other' : 'said', dir: 'auto', lang: span.locale };
        return make('span', shown, span.text);
      }),
    );
    if (!this.#lines.has(id)) this.element.append(line);
    this.#lines.set(id, line);
    // A sentence that still grows is read once it is whole.
    this.element.setAttribute('aria-busy', String(status === 'partial'));
    if (isAtEnd) this.element.scrollTop = this.element.scrollHeight;
  }
}

const languageOf = (locale: string | undefined) => locale?.split('-')[0];
