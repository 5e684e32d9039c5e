const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });

/** The English name of a language, such as "Spanish (Mexico)", or the text itself if it is not a tag. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}
