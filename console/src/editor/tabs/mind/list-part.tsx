import { computed, type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { itemTexts } from '../../../texts/editor/items.ts';
import type { Path } from '../../document/path.ts';
import { helpAt } from '../../document/schema.ts';
import type { ItemKind } from '../../fields/item-kind.ts';
import { addItem, ItemList } from '../../fields/item-list.tsx';
import type { Draft } from '../../saving/draft.ts';

interface ListPartProps {
  draft: Draft;
  path: Path;
  kindOf(draft: Draft): ItemKind;
  texts: { heading: string; used: string; add: string; empty: string; count(count: number): string };
  /** A further sentence below the heading. */
  note?: string | undefined;
  /** Called before an item is added. */
  onAdd?(): void;
  /** What to show instead of all items. */
  children?(list: ShownList): ComponentChildren;
}

interface ShownList {
  kind: ItemKind;
  count: number;
  /** Set to an id to open this item and to move the focus there. */
  reveal: Signal<string | undefined>;
}

/** A list of the mind: heading, count, when it is used, the items, and a button that adds one. */
export function ListPart({ draft, path, kindOf, texts, note, onAdd, children }: ListPartProps) {
  const id = useId();
  const reveal = useSignal<string | undefined>(undefined);
  const kind = useMemo(() => kindOf(draft), [draft]);
  const add = () => {
    onAdd?.();
    reveal.value = addItem(draft, path, kind);
  };
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
      {children === undefined ? (
        <ItemList draft={draft} path={path} kind={kind} reveal={reveal} />
      ) : (
        children({ kind, count, reveal })
      )}
      {draft.isEditable ? (
        <div class="row">
          <Button disabled={isFull} onPress={add}>
            {texts.add}
          </Button>
          {isFull ? <span class="soft">{itemTexts.full(count)}</span> : null}
        </div>
      ) : null}
    </section>
  );
}
