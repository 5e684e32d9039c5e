import { wordTexts } from '../../texts/editor/words.ts';
import type { Difference } from '../document/differences.ts';
import { placeText } from '../document/items.ts';
import { labelOf, valueLines } from '../document/words.ts';

interface DifferenceListProps {
  differences: readonly Difference[];
  /** The documents that differ, from which items of lists take their names. */
  documents: readonly unknown[];
}

/** Differences in words, each with the values before and after. */
export function DifferenceList({ differences, documents }: DifferenceListProps) {
  return (
    <ul class="differences-in-words">
      {differences.map((difference) => (
        <li key={`${placeText(difference.place)} ${difference.isOrder}`}>
          <strong>{labelOf(difference, documents)}</strong>
          {difference.before === undefined ? null : (
            <Value
              kind="before"
              label={difference.after === undefined ? wordTexts.removed : wordTexts.before}
              lines={valueLines(difference, difference.before, documents)}
            />
          )}
          {difference.after === undefined ? null : (
            <Value
              kind="after"
              label={difference.before === undefined ? wordTexts.added : wordTexts.after}
              lines={valueLines(difference, difference.after, documents)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

interface ValueProps {
  kind: 'before' | 'after';
  label: string;
  lines: readonly string[] | undefined;
}

export function Value({ kind, label, lines }: ValueProps) {
  return (
    <div class={`value ${kind}`}>
      <span class="soft">{label}</span>
      <div>
        {(lines ?? [wordTexts.nothing]).map((line, n) => (
          <p key={n} dir="auto">
            {line}
          </p>
        ))}
      </div>
    </div>
  );
}
