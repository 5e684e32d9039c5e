import { printable } from './io.ts';

/** The title of each column, and how to get its cell from a row. */
export type Columns<Row> = Record<string, (row: Row) => string | undefined>;

/**
 * Formats an aligned table page by page. Columns grow when a later page needs more space; the last column is not padded.
 * The first page includes the header.
 */
export class Table<Row> {
  readonly #columns: Columns<Row>;
  readonly #header: readonly string[];
  readonly #widths: number[];
  #started = false;

  constructor(columns: Columns<Row>) {
    this.#columns = columns;
    this.#header = Object.keys(columns);
    this.#widths = this.#header.map((title) => title.length);
  }

  text(rows: readonly Row[]): string {
    const cells = Object.values(this.#columns);
    const lines = rows.map((row) => cells.map((cell) => printable(cell(row) ?? '') || '-'));
    for (const line of lines) {
      line.forEach((cell, column) => {
        this.#widths[column] = Math.max(this.#widths[column] ?? 0, cell.length);
      });
    }
    const all = this.#started ? lines : [this.#header, ...lines];
    this.#started = true;
    return all.map((line) => `${this.#line(line)}\n`).join('');
  }

  #line(cells: readonly string[]): string {
    return cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(this.#widths[column] ?? 0)))
      .join('  ');
  }
}
