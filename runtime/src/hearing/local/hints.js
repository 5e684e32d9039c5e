/** Added to the score of a token that continues a hint, by the number of tokens before it that match. */
const bonuses = [0, 1.5, 3, 4.5];
const most = bonuses.length - 1;

/**
 * Favours phrases that are likely to be said, so that "when do the ferries leave" is not heard as "fairies": a token that continues a
 * phrase needs a slightly lower score than others.
 *
 * @param {number[][]} phrases Their tokens, from the token that starts a text.
 */
export function hinted(phrases) {
  /** Returns what to add to the scores of tokens that may follow `tokens`. @param {number[]} tokens */
  return (tokens) => {
    /** @type {Map<number, number>} */
    const scores = new Map();
    for (const phrase of phrases)
      for (let at = 1; at < phrase.length; at++) {
        let matching = 0;
        while (
          matching < Math.min(most, at, tokens.length) &&
          tokens[tokens.length - 1 - matching] === phrase[at - 1 - matching]
        )
          matching++;
        const bonus = bonuses[matching];
        if (bonus > (scores.get(phrase[at]) ?? 0)) scores.set(phrase[at], bonus);
      }
    return scores;
  };
}
