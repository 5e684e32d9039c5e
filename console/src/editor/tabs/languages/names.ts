const names = new Intl.DisplayNames(['en'], { type: 'language', languageDisplay: 'standard' });

/** Languages that are offered by name. Any other can be written as a tag. */
const offered =
  'ar bg bn cs da de de-AT de-CH el en en-AU en-GB en-IN en-US es es-419 es-ES es-MX et fa fi fr fr-CA he hi hr hu id it ja ko lt lv ms nb nl pl pt-BR pt-PT ro ru sk sl sr sv sw ta te th tr uk ur vi zh-Hans zh-Hant'.split(
    ' ',
  );

/** The name of a language in words, or the text itself if it is not a tag. */
export function languageName(tag: string): string {
  try {
    return names.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** The offered languages and these, sorted by name. */
export function languageOptions(others: readonly string[] = []): { value: string; label: string }[] {
  return [...new Set([...offered, ...others])]
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}
