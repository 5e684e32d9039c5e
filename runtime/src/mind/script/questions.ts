import type { Mind } from '@session-launch/contract/project-file/mind';
import { pick } from './texts.ts';

/** What users may ask according to the topics of a mind, in one language. */
export function questions(mind: Pick<Mind, 'topics'>, locale: string): string[] {
  return (mind.topics ?? []).flatMap(({ ask }) => pick(ask, locale)?.variants ?? []);
}
