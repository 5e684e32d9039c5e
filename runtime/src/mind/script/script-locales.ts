import type { Setting } from '../mind.ts';
import { nearest, type Texts } from './texts.ts';

/**
 * `spoken` is the session's locale if the script has texts in its language, else English, else a locale of the script. `written` is the
 * locale of the project file that is nearest to it.
 */
export function scriptLocales({ mind, locale }: Setting): { spoken: string; written: string } {
  const topics = mind.topics ?? [];
  const told: (Texts | undefined)[] = [
    mind.greeting,
    ...topics.map(({ tell }) => tell),
    ...(mind.presentation ?? []).map(({ tell }) => tell),
    ...(mind.lessons ?? []).map(({ gloss }) => gloss),
    mind.fallback,
  ];
  const locales = localesOf(told);
  const hasLanguage = locales.length === 0 || nearest(locales, locale) !== undefined;
  const spoken = hasLanguage ? locale : (nearest(locales, 'en') ?? locales[0]!);
  const all = localesOf([...told, ...topics.flatMap(({ ask, words }) => [ask, words])]);
  return { spoken, written: nearest(all, spoken) ?? 'en' };
}

const localesOf = (texts: (Texts | undefined)[]) => [
  ...new Set(texts.flatMap((one) => Object.keys(one ?? {}))),
];
