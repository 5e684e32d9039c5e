import { printable } from './io.ts';

/**
 * Formats an aligned table page by page. Columns grow when a later page needs more space; the last column is not padded.
 * The first page includes the header.
 */
export class Table {
  readonly #header: readonly string[];
  readonly #widths: number[];
  #started = false;

  constructor(header: readonly string[]) {
    this.#header = header;
    this.#widths = header.map((title) => title.length);
  }

  text(rows: readonly (readonly string[])[]): string {
    const lines = rows.map((row) => row.map((cell) => printable(cell) || '-'));
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
