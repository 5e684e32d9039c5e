import { mindTexts } from '../../../texts/editor/mind.ts';
import { languageName } from '../../document/language-name.ts';

interface MindSummaryProps {
  name: string;
  text: string;
  /** The languages that lack a text of the item. */
  missing: readonly string[];
  badge?: string | undefined;
}

/** A closed item of the mind: its first texts side by side, and what is missing. */
export function MindSummary({ name, text, missing, badge }: MindSummaryProps) {
  return (
    <>
      <span class="name">{name}</span>
      <span class="text">{text}</span>
      {missing.length === 0 && badge === undefined ? null : (
        <span class="marks">
          {badge === undefined ? null : <span class="badge">{badge}</span>}
          {missing.length === 0 ? null : (
            <span class="badge warn">{mindTexts.missingIn(missing.map(languageName))}</span>
          )}
        </span>
      )}
    </>
  );
}
