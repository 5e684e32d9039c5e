/** Languages that eSpeak NG speaks. English is left to flite, whose voices are better and have exact timings. */
export const languages = ['es', 'fr', 'de', 'it', 'pt', 'nl', 'pl'] as const;

/** Names of the voices in the output of `espeak-ng --voices`: a table with the language in its second column. */
export function installedVoices(listed: string): ReadonlySet<string> {
  const names = listed
    .split('\n')
    .flatMap((line) => /^\s*\d+\s+([a-z]{2}(?:-[\w-]+)?)\s/.exec(line)?.[1] ?? []);
  return new Set(names.filter((name) => languages.some((language) => name.split('-')[0] === language)));
}

/** The voice for a locale: of its region if there is one, else of its language. */
export function voiceFor(locale: string, voices: ReadonlySet<string>): string | undefined {
  const [language = '', ...rest] = locale.toLowerCase().split(/[-_]/);
  const region = rest.find((part) => /^([a-z]{2}|\d{3})$/.test(part));
  const names = region === undefined ? [language] : [`${language}-${region}`];
  // Spanish outside Spain has one voice.
  if (language === 'es' && region !== undefined && region !== 'es') names.push('es-419');
  // Debian lists French as fr-fr.
  return [...names, language, `${language}-${language}`].find((name) => voices.has(name));
}
