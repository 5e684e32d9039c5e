import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { itemTexts } from '../../../texts/editor/items.ts';
import type { Draft } from '../../draft.ts';
import type { ItemKind } from '../../items/item-kind.ts';
import { addItem } from '../../items/item-list.tsx';
import type { Path } from '../../path.ts';
import { helpAt } from '../../schema.ts';

interface ListPartProps {
  draft: Draft;
  path: Path;
  kind: ItemKind;
  texts: { heading: string; used: string; add: string; empty: string; count(count: number): string };
  /** A further sentence below the heading. */
  note?: string | undefined;
  onAdded(id: string): void;
  children(count: number): ComponentChildren;
}

/** The frame of a list of the mind: heading, count, when it is used, and a button that adds an item. */
export function ListPart({ draft, path, kind, texts, note, onAdded, children }: ListPartProps) {
  const id = useId();
  const count = useMemo(
    () => computed(() => (draft.at(path) as unknown[] | undefined)?.length ?? 0),
    [draft],
  ).value;
  const isFull = count >= (kind.maxItems ?? Infinity);
  return (
    <section class="part" aria-labelledby={id}>
      <div class="part-head">
        <div class="row spread">
          <h2 id={id}>{texts.heading}</h2>
          <span class="soft number">{texts.count(count)}</span>
        </div>
        <p class="soft">
          {helpAt(path)} {texts.used}
        </p>
        {note === undefined ? null : <p class="warn">{note}</p>}
      </div>
      {count === 0 ? <p class="soft">{texts.empty}</p> : null}
      {children(count)}
      {draft.isEditable ? (
        <div class="row">
          <Button disabled={isFull} onPress={() => onAdded(addItem(draft, path, kind))}>
            {texts.add}
          </Button>
          {isFull ? <span class="soft">{itemTexts.full(count)}</span> : null}
        </div>
      ) : null}
    </section>
  );
}
