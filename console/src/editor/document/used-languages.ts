import type { Experience } from './model.ts';

/** The languages that an experience names: its default, its Fixed languages, and those in which it has a greeting, a fallback or answers. */
export function usedLanguages({ runtime: { languages, mind } }: Experience): string[] {
  const tags = new Set<string>([languages?.default ?? 'en']);
  for (const axis of [languages?.conversation, languages?.paired])
    if (typeof axis === 'object') tags.add(axis.fixed);
  for (const texts of [mind?.greeting, mind?.fallback, ...(mind?.topics ?? []).map(({ tell }) => tell)])
    for (const tag of Object.keys(texts ?? {})) tags.add(tag);
  return [...tags].filter((tag) => tag !== '');
}
