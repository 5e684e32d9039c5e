/** English words that rarely end a sentence. */
const open =
  'a an the and or but because so if that than to of for with from my your our their this is are was were do does did can could would should i we um uh er';
const ends = new Set(open.split(' '));

/** Whether a transcript ends in the middle of a sentence. */
export function isUnfinished(text: string): boolean {
  if (/\?$/.test(text)) return false;
  if (/,$/.test(text)) return true;
  const last = /([\p{L}']+)[^\p{L}]*$/u.exec(text)?.[1];
  return last !== undefined && ends.has(last.toLowerCase());
}
