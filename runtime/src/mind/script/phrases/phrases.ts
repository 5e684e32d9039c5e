/** Built-in intents and phrases of a language, used by all scripts. Placeholders are in braces. */
export interface Phrases {
  /** Phrases per intent, separated by commas, matched as whole words. */
  understand: {
    yes: string;
    no: string;
    hello: string;
    bye: string;
    thanks: string;
    repeat: string;
    slower: string;
    faster: string;
    more: string;
    next: string;
    wait: string;
    help: string;
    /** Asks whether the character is a person or an AI. */
    ai: string;
    whoAreYou: string;
    whoAmI: string;
    whatWasThat: string;
  };
  /** Patterns whose first group captures a name. Whitespace in the text is collapsed into single spaces. */
  nameIs: RegExp[];
  /** The same for phrases that introduce other things as well ("I am tired"): the capture is a name only if it is capitalised. */
  capitalNameIs: RegExp[];
  say: {
    /** Placeholder: {title} */
    greeting: string[];
    fallback: string[];
    /** Placeholder: {ask} */
    suggest: string[];
    meet: string[];
    yourName: string[];
    noName: string[];
    /** Placeholder: {name} */
    ai: string[];
    iAm: string[];
    nothingYet: string[];
    lastTopic: string[];
    slower: string[];
    faster: string[];
    allRight: string[];
    welcome: string[];
    bye: string[];
    noMore: string[];
    sorry: string[];
    /** Placeholder: {gloss}. Followed by the phrase to learn, then `yourTurn`. */
    teach: string[];
    yourTurn: string[];
    praise: string[];
    /** Followed by the phrase to learn. */
    almost: string[];
    notYet: string[];
    lessonsDone: string[];
    noLessons: string[];
    goOn: string[];
    wait: string[];
    presentationDone: string[];
    /** Text of the suggestion button. */
    next: string;
  };
  /** Words that are ignored when matching topics. */
  stopWords: string;
}
