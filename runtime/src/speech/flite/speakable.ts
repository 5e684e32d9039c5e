import { decomposed } from '../../decomposed.ts';

/** Converts a text to the ASCII that the engine reads: folds accents, replaces symbols by words or pauses, removes the rest. */
export function speakable(text: string): string {
  const spelled = text
    .replace(/[‘’‚′]/g, "'")
    .replace(/[“”„«»"*_#`~<>[\]{}|\\^]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ?[–—] ?/g, ', ')
    .replace(/…/g, '. ')
    .replace(/€\s?(\d+)/g, '$1 euros')
    .replace(/£\s?(\d+)/g, '$1 pounds')
    .replace(/°\s?C\b/g, ' degrees Celsius')
    .replace(/°/g, ' degrees')
    .replace(/&/g, ' and ')
    .replace(/ß/g, 'ss')
    .replace(/[øØ]/g, 'o')
    .replace(/[æÆ]/g, 'ae')
    .replace(/[œŒ]/g, 'oe');
  const plain = decomposed(spelled)
    .replace(/[^\x20-\x7e]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.;:!?])/g, '')
    .trim();
  return /[A-Za-z0-9]/.test(plain) ? plain : '';
}
