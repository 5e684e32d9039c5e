/** What every script understands and says in a language, whatever it is about. Braces are filled in. */
export interface Phrases {
  /** Texts that mean the same; they are recognised as whole words. */
  understand: {
    yes: string[];
    no: string[];
    hello: string[];
    bye: string[];
    thanks: string[];
    repeat: string[];
    slower: string[];
    faster: string[];
    more: string[];
    next: string[];
    wait: string[];
    help: string[];
    /** Whether it is a person. */
    ai: string[];
    whoAreYou: string[];
    whoAmI: string[];
    whatWasThat: string[];
  };
  /** Patterns that find a name in their first group, in a text whose runs of blanks are folded into one space each. */
  nameIs: RegExp[];
  /** The same for phrases that introduce other things as well ("I am tired"): what follows is a name only with a capital letter. */
  capitalNameIs: RegExp[];
  say: {
    /** {title} */
    greeting: string[];
    fallback: string[];
    /** {ask} */
    suggest: string[];
    meet: string[];
    yourName: string[];
    noName: string[];
    /** {name} */
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
    /** {gloss}; then comes the phrase, then `yourTurn`. */
    teach: string[];
    yourTurn: string[];
    praise: string[];
    /** Then comes the phrase again. */
    almost: string[];
    notYet: string[];
    lessonsDone: string[];
    noLessons: string[];
    goOn: string[];
    wait: string[];
    presentationDone: string[];
    /** As a suggestion. */
    next: string;
  };
  /** Words that say nothing about a topic. */
  stopWords: string;
}
