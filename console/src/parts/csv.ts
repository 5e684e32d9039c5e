/** Offers rows as a CSV file (RFC 4180). */
export function downloadCsv(name: string, rows: readonly (readonly string[])[]): void {
  const text = rows.map((row) => row.map(quoted).join(',')).join('\r\n');
  download(name, 'text/csv', `${text}\r\n`);
}

/** Offers a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** A value that a spreadsheet would take for a formula gets an apostrophe before it. */
function quoted(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
