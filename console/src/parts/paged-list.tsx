import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { EventKind } from '../state/load.ts';
import { texts } from '../texts/texts.ts';
import { Button } from './button.tsx';
import { Show } from './notice.tsx';
import { type PageSource, usePages } from './use-pages.ts';

interface PagedListProps<Row> {
  /** What the list is of. Another list is loaded if they change. */
  keys: readonly string[];
  source: PageSource<Row>;
  /** The kinds of changes after which the rows are read again. */
  kinds: readonly EventKind[];
  /** Whether one of the rows shown is about to change without an announcement. While it is true, they are read every 2 seconds. */
  isSettling?(rows: readonly Row[]): boolean;
  /** The text of the button that shows new rows. */
  fresh(count: number): string;
  /** What to show instead of no rows. */
  empty: ComponentChildren;
  children(rows: readonly Row[]): ComponentChildren;
}

const settlingMs = 2_000;

/** A list that is loaded page by page. New rows are announced and appear only when asked for, so that those being read do not move. */
export function PagedList<Row>({
  keys,
  source,
  kinds,
  isSettling,
  fresh,
  empty,
  children,
}: PagedListProps<Row>) {
  const pages = usePages(keys, source, kinds);
  const { data, reload } = pages.loaded;
  useEffect(() => {
    if (data === undefined || !isSettling?.(data.rows)) return;
    const timer = setTimeout(() => {
      // A hidden tab reads everything again when it is shown.
      if (!document.hidden) void reload();
    }, settlingMs);
    return () => clearTimeout(timer);
  }, [data]);
  return (
    <>
      {pages.fresh === 0 ? null : (
        <p role="status">
          <Button onPress={pages.showFresh}>{fresh(pages.fresh)}</Button>
        </p>
      )}
      <Show loaded={pages.loaded}>
        {({ rows, next }) =>
          rows.length === 0 && next === undefined ? (
            empty
          ) : (
            <>
              {children(rows)}
              {next === undefined ? null : (
                <p>
                  <Button onPress={pages.showMore}>{texts.more}</Button>
                </p>
              )}
            </>
          )
        }
      </Show>
    </>
  );
}
