import './table.css';
import type { ComponentChildren } from 'preact';
import { texts } from '../texts/texts.ts';

interface Column<Row> {
  title: string;
  cell(row: Row): ComponentChildren;
  /** The column whose cells name their row. */
  isName?: boolean;
  isNumber?: boolean;
}

interface TableProps<Row> {
  /** For screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}

/** A table. On narrow screens each row becomes a block, with the column titles before the values. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div class="table">
      <table>
        <caption class="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) =>
              title === '' ? (
                // Not a header cell: those must have visible text.
                <td key={title}>
                  <span class="hidden-text">{texts.actions}</span>
                </td>
              ) : (
                <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isName, isNumber }) =>
                isName ? (
                  <th key={title} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td
                    key={title}
                    data-label={title === '' ? undefined : title}
                    class={isNumber ? 'number' : undefined}
                  >
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
