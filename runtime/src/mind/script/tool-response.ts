import { pick } from './texts.ts';

const maxCharacters = 4000;

/** The text in the response of a tool: `say` of a JSON object, which is a text or texts by language. `undefined` if there is none. */
export function textOf(output: string, locale: string): { text: string; locale: string } | undefined {
  let response: unknown;
  try {
    response = JSON.parse(output);
  } catch {
    return undefined;
  }
  const say = isObject(response) ? response.say : undefined;
  const texts = typeof say === 'string' ? { [locale]: say } : textsIn(say);
  const found = pick(texts, locale);
  const text = found?.variants[0]?.slice(0, maxCharacters).trim() ?? '';
  return text === '' ? undefined : { text, locale: found!.locale };
}

function textsIn(say: unknown): Record<string, string> {
  if (!isObject(say)) return {};
  return Object.fromEntries(
    Object.entries(say).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && isTag(entry[0]),
    ),
  );
}

function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
