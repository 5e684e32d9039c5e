import { de } from './phrases/de.ts';
import { en } from './phrases/en.ts';
import { es } from './phrases/es.ts';
import { fr } from './phrases/fr.ts';
import { it } from './phrases/it.ts';
import { ja } from './phrases/ja.ts';
import type { Phrases } from './phrases/phrases.ts';
import { pt } from './phrases/pt.ts';
import { nearest } from './texts.ts';
import { fold } from './words.ts';

const known: Record<string, Phrases> = { en, es, fr, de, pt, it, ja };

/** Languages with built-in phrases. */
export const languages: readonly string[] = Object.keys(known);

const stopWordsOf = new Map(
  Object.entries(known).map(([language, { stopWords }]) => [language, new Set(fold(stopWords).split(' '))]),
);

/** The built-in phrases for a locale and the locale they are in: English if its language has none. */
export function phrasesFor(locale: string): { phrases: Phrases; locale: string; stopWords: Set<string> } {
  const found = nearest(languages, locale);
  const language = found ?? 'en';
  return {
    phrases: known[language]!,
    locale: found === undefined ? 'en' : locale,
    stopWords: stopWordsOf.get(language)!,
  };
}
