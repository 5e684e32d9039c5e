/** English words that hardly end a sentence: people pause after them to think. */
const open =
  'a an the and or but because so if that than to of for with from my your our their this is are was were do does did can could would should i we um uh er';
const ends = new Set(open.split(' '));

/** Whether the words so far do not end a sentence, so that the speaker will probably go on. */
export function isUnfinished(text: string): boolean {
  if (/\?$/.test(text)) return false;
  if (/,$/.test(text)) return true;
  const last = /([\p{L}']+)[^\p{L}]*$/u.exec(text)?.[1];
  return last !== undefined && ends.has(last.toLowerCase());
}
