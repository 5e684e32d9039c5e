import type { Character, Said } from '../mind.ts';
import { fold } from './words.ts';

/** Splits a text by speaker. A line that starts with a character's name and a colon belongs to that character. */
export function spokenBy(
  text: string,
  locale: string,
  characters: readonly Character[],
  first: Character,
): Said[] {
  const said: Said[] = [];
  let speaker = first;
  for (const line of text.split('\n').map((one) => one.trim())) {
    const named = /^([^:]{1,64}):\s+/.exec(line);
    const other = named === null ? undefined : byName(named[1]!, characters);
    if (other !== undefined) speaker = other;
    const words = other === undefined ? line : line.slice(named![0].length);
    if (words !== '') said.push({ text: words, locale, characterId: speaker.characterId });
  }
  return said;
}

function byName(name: string, characters: readonly Character[]): Character | undefined {
  const wanted = fold(name.trim());
  return characters.find((one) => fold(one.name) === wanted || fold(one.characterId) === wanted);
}

/** Returns the character whose name the text contains, or `undefined`. */
export function addressed(text: string, characters: readonly Character[]): Character | undefined {
  const heard = ` ${fold(text).replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
  return characters.length < 2
    ? undefined
    : characters.find(({ name }) => heard.includes(` ${fold(name).replace(/[^\p{L}\p{N}]+/gu, ' ')} `));
}
