/** The preferred language of the browser as a canonical BCP 47 tag; undefined if it is not valid. */
export function browserLocale(): string | undefined {
  const [first] = globalThis.navigator?.languages ?? [];
  try {
    // Some systems append a non-standard modifier: en-US@posix.
    return Intl.getCanonicalLocales(first?.replace(/@.*$/, ''))[0];
  } catch {
    return undefined;
  }
}

/** The language of a tag, without region and script. Some systems separate them with underscores. */
export const languageOf = (locale: string) => locale.split(/[-_]/)[0]!.toLowerCase();
