/** One text or several variants per locale. */
export type Texts = Record<string, string | string[]>;

/** The variants of one locale. */
export interface Picked {
  locale: string;
  variants: string[];
}

const languageOf = (locale: string) => new Intl.Locale(locale).language;

/** Returns the locale of the list that matches best: the same one, else one of the same language. */
export function nearest(locales: readonly string[], wanted: string): string | undefined {
  const same = locales.filter((locale) => languageOf(locale) === languageOf(wanted));
  const likely = new Intl.Locale(wanted).maximize();
  return (
    same.find((locale) => locale === wanted) ??
    same.find(
      (locale) => new Intl.Locale(locale).maximize().script === likely.script && locale === likely.language,
    ) ??
    same.find((locale) => new Intl.Locale(locale).maximize().script === likely.script) ??
    same[0]
  );
}

export function pick(texts: Texts | undefined, wanted: string): Picked | undefined {
  const locale = texts === undefined ? undefined : nearest(Object.keys(texts), wanted);
  if (locale === undefined) return undefined;
  const found = texts![locale]!;
  return { locale, variants: Array.isArray(found) ? found : [found] };
}

/** Selects variants without repeating one immediately. */
export class Variety {
  readonly #last = new Map<string, number>();
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Returns a random variant other than the last one. `of` identifies the set of variants. */
  any(of: string, variants: readonly string[]): string {
    const last = this.#last.get(of);
    const others = variants
      .map((_, index) => index)
      .filter((index) => index !== last || variants.length === 1);
    const index = others[Math.floor(this.#random() * others.length)] ?? 0;
    this.#last.set(of, index);
    return variants[index] ?? '';
  }

  /** Returns the next variant in order. After the last one it starts again, or alternates between the last two. */
  next(of: string, variants: readonly string[], atTheEnd: 'again' | 'stay'): string {
    const last = this.#last.get(of) ?? -1;
    const following = last + 1;
    const index =
      following < variants.length ? following : atTheEnd === 'again' ? 0 : Math.max(0, variants.length - 2);
    this.#last.set(of, index);
    return variants[index] ?? '';
  }

  /** Number of variants used in order, up to the last one returned. */
  used(of: string): number {
    return (this.#last.get(of) ?? -1) + 1;
  }

  restart(of: string): void {
    this.#last.delete(of);
  }
}
