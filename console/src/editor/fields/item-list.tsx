import './item-list.css';
import { computed, type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { dismiss, toast, toasts } from '../../state/toasts.ts';
import { itemTexts } from '../../texts/editor/items.ts';
import type { Path } from '../document/path.ts';
import type { Draft } from '../saving/draft.ts';
import { ItemCard } from './item-card.tsx';
import { type ItemKeys, keysAfter } from './item-keys.ts';
import type { ItemKind, ListOperations } from './item-kind.ts';
import { freeId, type Item, inserted, moved, removed } from './list-changes.ts';

interface ItemListProps {
  draft: Draft;
  path: Path;
  kind: ItemKind;
  /** The ids of the items to show; all of them if missing. Items cannot be moved while some are hidden. */
  shown?: ReadonlySet<string> | undefined;
  /** Set to an id to open this item and to move the focus there. */
  reveal: Signal<string | undefined>;
}

/** An ordered list of the document as cards, which can be removed, duplicated and moved. */
export function ItemList({ draft, path, kind, shown, reveal }: ItemListProps) {
  const ids = useIds(draft, path, kind.idField);
  const root = useRef<HTMLDivElement>(null);
  const known = useRef<ItemKeys>({ ids: [], keys: [] });
  if (known.current.ids !== ids) known.current = keysAfter(known.current, ids);
  const { keys } = known.current;
  const open = useSignal<ReadonlySet<number>>(new Set(ids.length <= kind.openUpTo ? keys : []));
  const focus = useRef<Focus | undefined>(undefined);
  const list = useOperations(draft, path, kind, { open, focus, reveal, known });
  useLayoutEffect(() => {
    const wanted = focus.current;
    focus.current = undefined;
    if (wanted !== undefined) focusOn(root.current, keys[wanted.index], wanted.control);
  }, [ids]);
  const revealed = reveal.value;
  useLayoutEffect(() => {
    const key = revealed === undefined ? undefined : keys[ids.indexOf(revealed)];
    reveal.value = undefined;
    if (key === undefined) return;
    open.value = new Set([...open.value, key]);
    focusOn(root.current, key, 'toggle');
  }, [revealed]);
  return (
    <div class="items" ref={root}>
      {ids.map((id, n) =>
        shown === undefined || shown.has(id) ? (
          <ItemCard
            key={keys[n]}
            list={list}
            itemKey={keys[n]!}
            index={n}
            isFirst={n === 0}
            isLast={n === ids.length - 1}
            isMovable={shown === undefined}
            isRemovable={ids.length > (kind.minItems ?? 0)}
          />
        ) : null,
      )}
    </div>
  );
}

/** The control of an item that gets the focus. */
interface Focus {
  index: number;
  control: string;
}

function focusOn(root: HTMLElement | null, key: number | undefined, control: string): void {
  const card = root?.querySelector(`[data-key="${key}"]`);
  const found = card?.querySelector<HTMLElement>(`[data-control="${control}"]:not(:disabled)`);
  (found ?? card?.querySelector<HTMLElement>('[data-control="toggle"]'))?.focus();
  card?.scrollIntoView({ block: 'nearest' });
}

/** The ids of a list. The array stays the same until an id or the order changes, so that typing in an item does not render the list. */
function useIds(draft: Draft, path: Path, idField: string): readonly string[] {
  const ids = useMemo(() => {
    let last: readonly string[] = [];
    return computed(() => {
      const items = (draft.at(path) as readonly Item[] | undefined) ?? [];
      const isSame =
        items.length === last.length && items.every((item, n) => String(item[idField]) === last[n]);
      if (!isSame) last = items.map((item) => String(item[idField]));
      return last;
    });
  }, [draft]);
  return ids.value;
}

interface Shared {
  open: ListOperations['open'];
  focus: { current: Focus | undefined };
  reveal: Signal<string | undefined>;
  known: { current: ItemKeys };
}

function useOperations(draft: Draft, path: Path, kind: ItemKind, shared: Shared): ListOperations {
  const { open, focus, reveal, known } = shared;
  const dragged = useSignal<number | undefined>(undefined);
  const over = useSignal<number | undefined>(undefined);
  return useMemo(() => {
    const itemsNow = () => (draft.at(path) as readonly Item[] | undefined) ?? [];
    const put = (items: readonly Item[]) => draft.change(path, items);
    const tellWithUndo = announcer(draft);
    const move = (from: number, to: number, control = 'toggle') => {
      const items = itemsNow();
      if (from === to || to < 0 || to >= items.length) return;
      focus.current = { index: to, control };
      put(moved(items, from, to));
      tellWithUndo(itemTexts.moved(kind.nameOf(items[from]!), to + 1, items.length), () => {
        // The item may be elsewhere by now.
        const now = itemsNow().findIndex((item) => item[kind.idField] === items[from]![kind.idField]);
        if (now >= 0) put(moved(itemsNow(), now, Math.min(from, itemsNow().length - 1)));
      });
    };
    return {
      draft,
      path,
      kind,
      open,
      dragged,
      over,
      indexOf: (key) => known.current.keys.indexOf(key),
      move,
      remove(index) {
        const before = itemsNow();
        focus.current = { index: Math.max(0, index - 1), control: 'toggle' };
        const after = kind.without?.(before, index) ?? removed(before, index);
        draft.change(path, after.length === 0 && !kind.minItems ? undefined : after);
        tellWithUndo(itemTexts.removed(kind.nameOf(before[index]!)), () => {
          const now = itemsNow();
          const at = Math.min(index, now.length);
          put(kind.putBack?.(now, before, index) ?? inserted(now, at, before[index]!));
        });
      },
      duplicate(index) {
        const items = itemsNow();
        const item = items[index]!;
        const ids = items.map((one) => one[kind.idField]);
        const copy = { ...item, [kind.idField]: freeId(String(item[kind.idField]), ids) };
        put(inserted(items, index + 1, copy));
        reveal.value = copy[kind.idField] as string;
        tellWithUndo(itemTexts.duplicated(kind.nameOf(item)), () => {
          const at = itemsNow().findIndex((one) => one[kind.idField] === copy[kind.idField]);
          if (at >= 0) put(removed(itemsNow(), at));
        });
      },
    };
  }, [draft, kind]);
}

/** Shows a message with "Undo" in place of the last one of the same list. */
function announcer(draft: Draft): (text: string, undo: () => void) => void {
  let shown: number | undefined;
  return (text, undo) => {
    if (shown !== undefined) dismiss(shown);
    toast(text, { action: { label: itemTexts.undo, run: undo }, owner: draft });
    shown = toasts.value.at(-1)?.id;
  };
}

/** Adds an item at the end of a list, and returns its id. */
export function addItem(draft: Draft, path: Path, kind: ItemKind): string {
  const items = (draft.at(path) as readonly Item[] | undefined) ?? [];
  const taken = items.map((item) => item[kind.idField]);
  const item = kind.create((wanted) => freeId(wanted, taken));
  draft.change(path, [...items, item]);
  return String(item[kind.idField]);
}
