import type { en } from './en.ts';

/** Built-in intents and phrases of a language, used by all scripts. English has the complete list. */
export interface Phrases {
  /** Phrases per intent, separated by commas, matched as whole words. */
  understand: Record<keyof typeof en.understand, string>;
  /** Patterns whose first group captures a name. Whitespace in the text is collapsed into single spaces. */
  nameIs: RegExp[];
  /** The same for phrases that introduce other things as well ("I am tired"): the capture is a name only if it is capitalised. */
  capitalNameIs: RegExp[];
  /** Variants per line, with placeholders in braces. `next` is the text of the suggestion button. */
  say: Record<Exclude<keyof typeof en.say, 'next'>, string[]> & { next: string };
  /** Words that are ignored when matching topics. */
  stopWords: string;
}
