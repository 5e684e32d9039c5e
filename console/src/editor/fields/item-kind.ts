import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Path } from '../document/path.ts';
import type { Draft } from '../saving/draft.ts';
import type { Item } from './list-changes.ts';

/** What a list of the document consists of. The object must stay the same while the list is shown. */
export interface ItemKind {
  /** The field that names an item. */
  idField: 'id' | 'characterId' | 'name';
  /** What an item is called, such as "topic". */
  noun: string;
  /** A new item, with an id that the list does not have. */
  create(freeId: (wanted: string) => string): Item;
  /** What the item is about, in its own words. */
  nameOf(item: Item): string;
  /** A closed item. */
  summary(item: Item): ComponentChildren;
  /** The fields of an open item. */
  fields(path: Path): ComponentChildren;
  /** Changes the list when an item is removed, if more than the item has to go. */
  without?(items: readonly Item[], index: number): Item[];
  /** Undoes `without`. `before` is the list with the item. */
  putBack?(items: readonly Item[], before: readonly Item[], index: number): Item[];
  minItems?: number;
  maxItems?: number | undefined;
  /** Lists with more items than this show them closed at first. */
  openUpTo: number;
}

/** What the cards of a list share. */
export interface ListOperations {
  draft: Draft;
  path: Path;
  kind: ItemKind;
  /** Keys of the items that are open. */
  open: Signal<ReadonlySet<number>>;
  /** The index of the item that is dragged. */
  dragged: Signal<number | undefined>;
  /** The key of the item under the pointer while another one is dragged. */
  over: Signal<number | undefined>;
  /** Where the item with a key is now. */
  indexOf(key: number): number;
  /** `focus` names the control that has the focus afterwards. */
  move(from: number, to: number, focus?: string): void;
  remove(index: number): void;
  duplicate(index: number): void;
}
