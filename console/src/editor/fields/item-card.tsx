import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { itemTexts } from '../../texts/editor/items.ts';
import { pathText } from '../document/path.ts';
import { useField } from './fields.tsx';
import type { ListOperations } from './item-kind.ts';
import type { Item } from './list-changes.ts';

interface ItemCardProps {
  list: ListOperations;
  itemKey: number;
  index: number;
  isFirst: boolean;
  isLast: boolean;
  isMovable: boolean;
  isRemovable: boolean;
}

/** One item of a list: a line with its summary and actions, and its fields while it is open. */
export function ItemCard(props: ItemCardProps) {
  const { list, itemKey, index, isFirst, isLast, isMovable, isRemovable } = props;
  const { draft, kind, open, dragged, over } = list;
  const path = useMemo(() => [...list.path, index], [list, index]);
  const item = useField(draft, path).value as Item | undefined;
  const isOpen = useComputed(() => open.value.has(itemKey)).value;
  const drop = useComputed(() => {
    if (over.value !== itemKey || dragged.value === undefined) return '';
    return dragged.value < list.indexOf(itemKey) ? 'drop-below' : 'drop-above';
  }).value;
  // The list renders after its cards: a card of a removed item may render once more.
  if (item === undefined) return null;
  const name = kind.nameOf(item);
  const toggle = () => {
    const next = new Set(open.value);
    if (!next.delete(itemKey)) next.add(itemKey);
    open.value = next;
  };
  const endDrag = () => {
    dragged.value = undefined;
    over.value = undefined;
  };
  const keyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined || !event.altKey || !isMovable || !draft.isEditable) return;
    event.preventDefault();
    list.move(index, index + step, (event.target as HTMLElement).dataset.control);
  };
  return (
    <section
      class={`item ${drop}`}
      aria-label={itemTexts.item(kind.noun, index + 1, name)}
      data-key={itemKey}
      data-path={pathText(path)}
      onDragOver={(event) => {
        if (dragged.value === undefined) return;
        event.preventDefault();
        over.value = itemKey;
      }}
      onDrop={(event) => {
        event.preventDefault();
        if (dragged.value !== undefined) list.move(dragged.value, index);
        endDrag();
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the buttons inside */}
      <div class="item-head" onKeyDown={keyDown}>
        {draft.isEditable && isMovable ? (
          <span
            class="item-handle"
            aria-hidden="true"
            title={itemTexts.drag}
            draggable
            onDragStart={(event) => {
              dragged.value = index;
              const card = event.currentTarget.closest('.item');
              if (card !== null) event.dataTransfer?.setDragImage(card, 10, 10);
            }}
            onDragEnd={endDrag}
          >
            ⠿
          </span>
        ) : null}
        <button
          type="button"
          class="item-toggle"
          data-control="toggle"
          aria-expanded={isOpen}
          onClick={toggle}
        >
          <span class="item-mark" aria-hidden="true">
            {isOpen ? '▾' : '▸'}
          </span>
          {isOpen ? <strong>{name}</strong> : <span class="item-summary">{kind.summary(item)}</span>}
        </button>
        {draft.isEditable ? (
          <span class="item-actions">
            <IconButton
              control="up"
              icon="up"
              label={itemTexts.moveUp}
              of={name}
              disabled={isFirst || !isMovable}
              onPress={() => list.move(index, index - 1, 'up')}
            />
            <IconButton
              control="down"
              icon="down"
              label={itemTexts.moveDown}
              of={name}
              disabled={isLast || !isMovable}
              onPress={() => list.move(index, index + 1, 'down')}
            />
            <IconButton
              control="duplicate"
              icon="copy"
              label={itemTexts.duplicate}
              of={name}
              onPress={() => list.duplicate(index)}
            />
            <IconButton
              control="delete"
              icon="cross"
              label={itemTexts.delete}
              of={name}
              disabled={!isRemovable}
              onPress={() => list.remove(index)}
            />
          </span>
        ) : null}
      </div>
      {isOpen ? <div class="item-body">{kind.fields(path)}</div> : null}
    </section>
  );
}

const icons = {
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  cross: 'M4 4l8 8M12 4l-8 8',
} as const;

interface IconButtonProps {
  control: string;
  icon: keyof typeof icons;
  label: string;
  of: string;
  disabled?: boolean;
  onPress(): void;
}

function IconButton({ control, icon, label, of, disabled, onPress }: IconButtonProps) {
  return (
    <button
      type="button"
      class="button plain icon"
      data-control={control}
      aria-label={itemTexts.actionOn(label, of)}
      title={label}
      disabled={disabled}
      onClick={onPress}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={icons[icon]} />
      </svg>
    </button>
  );
}
