export type Cell = string | number | boolean | null;

/** What means the same within a row as it does alone. */
const plain = /^[\w.:/@+-]+$/;

/** Rows as PostgreSQL writes an array of a composite type: it reads this in half the time that it takes for JSON. */
export function rowArray(rows: readonly (readonly Cell[])[]): string {
  return `{${rows.map(element).join(',')}}`;
}

function element(row: readonly Cell[]): string {
  let text = '';
  let isQuoted = false;
  for (const cell of row) {
    if (text !== '') text += ',';
    else text = '(';
    if (typeof cell !== 'string') text += cell ?? '';
    else if (plain.test(cell)) text += cell;
    else {
      text += quoted(cell);
      isQuoted = true;
    }
  }
  text += ')';
  return isQuoted ? quoted(text) : `"${text}"`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Bytes as a cell. */
export function hexBytes(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}
