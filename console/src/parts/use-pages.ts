import { useSignal } from '@preact/signals';
import { type EventKind, type Loaded, useLoad } from '../state/load.ts';
import { extended, lacking, type Page, updated } from './pages.ts';

export interface PageSource<Row> {
  /** Rows per page. */
  size: number;
  idOf(row: Row): string;
  /** Reads the newest rows, or those after the cursor. */
  read(options: { limit: number; cursor?: string }, signal?: AbortSignal): Promise<Page<Row>>;
  /** Reads rows that are shown and no longer match the filters of the list. */
  readAgain?(rows: readonly Row[], signal: AbortSignal): Promise<readonly Row[]>;
}

interface Pages<Row> {
  loaded: Loaded<Page<Row>>;
  /** The number of new rows that are not shown yet. */
  fresh: number;
  showFresh(): void;
  /** Loads the next page. */
  showMore(): Promise<void>;
}

/** Maximum rows of one request. Only as many of the newest rows are kept up to date. */
const maxRows = 500;

/**
 * Loads a list page by page. After a change of one of these kinds, the rows shown are updated in place and new ones are counted; they
 * appear when `showFresh` is called, so that the rows being read do not move.
 */
export function usePages<Row>(
  keys: readonly string[],
  source: PageSource<Row>,
  kinds: readonly EventKind[],
): Pages<Row> {
  const { size, idOf } = source;
  const key = JSON.stringify(keys);
  const shown = useSignal<{ key: string; page: Page<Row> } | undefined>(undefined);
  const present = () => (shown.value?.key === key ? shown.value.page : undefined);
  const show = (page: Page<Row>) => {
    shown.value = { key, page };
  };
  const loaded = useLoad(
    keys,
    async (signal) => {
      const limit = Math.min(size + (present()?.rows.length ?? 0), maxRows);
      const read = await source.read({ limit }, signal);
      const gone = lacking(read, present()?.rows ?? [], idOf);
      const again = gone.length === 0 ? [] : ((await source.readAgain?.(gone, signal)) ?? []);
      const page = present();
      // A page without rows can have a cursor, from which "More" continues.
      const isEmpty = page === undefined || (page.rows.length === 0 && page.next === undefined);
      show(isEmpty ? read : updated(page, [...read.rows, ...again], idOf));
      return read;
    },
    kinds,
  );
  const page = present();
  const showFresh = () => {
    if (page !== undefined && loaded.data !== undefined) show(extended(page, loaded.data, idOf));
  };
  const showMore = async () => {
    const cursor = page?.next;
    if (cursor === undefined) return;
    const { rows, next } = await source.read({ limit: size, cursor });
    const now = present();
    if (now?.next === cursor) show({ rows: [...now.rows, ...rows], next });
  };
  return {
    loaded: { ...loaded, data: page },
    fresh: page === undefined || loaded.data === undefined ? 0 : lacking(page, loaded.data.rows, idOf).length,
    showFresh,
    showMore,
  };
}
