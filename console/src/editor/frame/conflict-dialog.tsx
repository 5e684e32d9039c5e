import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';
import { frameTexts } from '../../texts/editor/frame.ts';
import { texts } from '../../texts/texts.ts';
import { type Difference, differences } from '../document/differences.ts';
import { placeText } from '../document/items.ts';
import { type Clash, merge, type Side } from '../document/merge.ts';
import { labelOf, valueLines } from '../document/words.ts';
import { DifferenceList, Value } from '../review/difference-list.tsx';
import type { Draft } from '../saving/draft.ts';
import type { Conflict } from '../saving/save.ts';

/** What both sides changed since the state that was last read, and a choice for each field that both changed. */
export function ConflictDialog({ draft, conflict }: { draft: Draft; conflict: Conflict }) {
  const choices = useSignal<Readonly<Record<string, Side>>>({});
  const { base, theirs, at } = conflict;
  const mine = draft.document.value;
  const words = wordsOf(conflict);
  const { clashes } = merge<unknown>(base, mine, theirs);
  const documents = [mine, theirs, base];
  const without = (found: Difference[]) =>
    found.filter((difference) => !clashes.some((clash) => isPartOf(difference, clash)));
  const ofTheirs = without(differences(base, theirs));
  const ofMine = without(differences(base, mine));
  return (
    <Dialog title={words.title} onClose={conflict.cancel} isWide>
      <p>
        {frameTexts.conflict.intro}{' '}
        <span class="soft">
          {words.at} <Time at={at} />.
        </span>
      </p>
      {clashes.length === 0 ? null : (
        <section class="stack">
          <h3>{words.both}</h3>
          {clashes.map((clash) => (
            <Choice
              key={`${placeText(clash.place)} ${clash.isOrder}`}
              clash={clash}
              documents={documents}
              words={words}
              chosen={choices.value[placeText(clash.place)] ?? 'mine'}
              onChoose={(side) => {
                choices.value = { ...choices.value, [placeText(clash.place)]: side };
              }}
            />
          ))}
        </section>
      )}
      {ofTheirs.length === 0 ? null : (
        <section class="stack">
          <h3>{words.theirs}</h3>
          <DifferenceList differences={ofTheirs} documents={documents} />
        </section>
      )}
      {ofMine.length === 0 ? null : (
        <section class="stack">
          <h3>{words.mine}</h3>
          <DifferenceList differences={ofMine} documents={documents} />
        </section>
      )}
      <div class="dialog-foot">
        <Button onPress={conflict.cancel}>{texts.cancel}</Button>
        <Button look="primary" onPress={() => conflict.resolve(choices.value)}>
          {draft.isSaving.value ? frameTexts.conflict.save : frameTexts.conflict.take}
        </Button>
      </div>
    </Dialog>
  );
}

/** What the dialog calls both sides. */
function wordsOf({ by }: Conflict) {
  if (by === undefined) {
    const { changedAt, ...words } = frameTexts.unsaved.conflict;
    return { at: changedAt, ...words };
  }
  const { title, savedAt, theirs, mine, both, takeTheirs, takeMine } = frameTexts.conflict;
  return {
    title: title(by),
    at: savedAt,
    theirs: theirs(by),
    mine,
    both,
    takeTheirs: takeTheirs(by),
    takeMine,
  };
}

/** Whether a difference is at the place of a clash or below it. The order of a list and its items are separate. */
function isPartOf(difference: Difference, clash: Clash): boolean {
  if (difference.isOrder !== clash.isOrder) return false;
  const steps = difference.place.slice(0, clash.place.length);
  return placeText(steps) === placeText(clash.place);
}

interface ChoiceProps {
  clash: Clash;
  documents: readonly unknown[];
  words: ReturnType<typeof wordsOf>;
  chosen: Side;
  onChoose(side: Side): void;
}

function Choice({ clash, documents, words, chosen, onChoose }: ChoiceProps) {
  const id = useId();
  const sides: [side: Side, text: string][] = [
    ['mine', words.takeMine],
    ['theirs', words.takeTheirs],
  ];
  return (
    <fieldset class="clash">
      <legend>
        <span class="hidden-text">{frameTexts.conflict.choose}</span>
        {labelOf(clash, documents)}
      </legend>
      {sides.map(([side, text]) => (
        <label key={side}>
          <input type="radio" name={id} checked={chosen === side} onChange={() => onChoose(side)} />
          <Value
            kind={side === 'mine' ? 'after' : 'before'}
            label={text}
            lines={valueLines(clash, clash[side], documents)}
          />
        </label>
      ))}
    </fieldset>
  );
}
