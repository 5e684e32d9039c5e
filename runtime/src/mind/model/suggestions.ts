import type { Setting, Suggestion } from '../mind.ts';
import { pick } from '../script/texts.ts';

const suggested = 4;

/** Questions that the user could ask a model: the first topics of the script. */
export function suggestedTopics({ mind, locale }: Setting): Suggestion[] {
  const asks = (mind.topics ?? []).flatMap(({ ask }) => pick(ask, locale) ?? []);
  return asks.slice(0, suggested).map((ask) => ({ text: ask.variants[0]!, locale: ask.locale }));
}
