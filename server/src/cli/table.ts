import { printable } from './io.ts';

/**
 * An aligned table that can be written page by page: a column grows when a later page needs it, and the last
 * one is never padded. The first call also writes the header.
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
