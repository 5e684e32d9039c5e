import { languageName } from './language-name.ts';

/** Languages that are offered by name. Any other can be written as a tag. */
const offered =
  'ar bg bn cs da de de-AT de-CH el en en-AU en-GB en-IN en-US es es-419 es-ES es-MX et fa fi fr fr-CA he hi hr hu id it ja ko lt lv ms nb nl pl pt-BR pt-PT ro ru sk sl sr sv sw ta te th tr uk ur vi zh-Hans zh-Hant'.split(
    ' ',
  );

/** The offered languages and these, sorted by name. */
export function languageOptions(others: readonly string[] = []): { value: string; label: string }[] {
  return [...new Set([...offered, ...others])]
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}
