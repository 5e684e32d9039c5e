/** Rows of a list, newest first, and the cursor of the next page. Ids sort by time, and a cursor is the id where its page begins. */
export interface Page<Row> {
  rows: readonly Row[];
  next: string | undefined;
}

type IdOf<Row> = (row: Row) => string;

/** The page with the newest version of each row. Adds and moves no row. */
export function updated<Row>(page: Page<Row>, newest: readonly Row[], idOf: IdOf<Row>): Page<Row> {
  const byId = new Map(newest.map((row) => [idOf(row), row]));
  return { ...page, rows: page.rows.map((row) => byId.get(idOf(row)) ?? row) };
}

/** The rows of `from` that `page` lacks, although they are not older than its last row. */
export function lacking<Row>(page: Page<Row>, from: readonly Row[], idOf: IdOf<Row>): Row[] {
  const { rows, next } = page;
  const ids = new Set(rows.map(idOf));
  return from.filter((row) => !ids.has(idOf(row)) && (next === undefined || idOf(row) >= next));
}

/** Adds the rows that a newer reading of the list has. If rows between the two are missing, returns the newer reading alone. */
export function extended<Row>(page: Page<Row>, read: Page<Row>, idOf: IdOf<Row>): Page<Row> {
  const [first] = page.rows;
  if (first === undefined || (read.next !== undefined && read.next > idOf(first))) return read;
  const rows = [...page.rows, ...lacking(page, read.rows, idOf)];
  return { ...page, rows: rows.sort((a, b) => (idOf(a) < idOf(b) ? 1 : -1)) };
}
