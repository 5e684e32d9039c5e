/**
 * The canonical form of a JSON value (RFC 8785): two values are the same when theirs are. JavaScript writes numbers and text as the RFC asks;
 * what is left is the order of fields. Fields that are undefined are not there.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let fields = '';
  for (const name of Object.keys(value).sort()) {
    const field = (value as Record<string, unknown>)[name];
    if (field === undefined) continue;
    if (fields !== '') fields += ',';
    fields += `${JSON.stringify(name)}:${canonicalJson(field)}`;
  }
  return `{${fields}}`;
}
