/**
 * The canonical form of a JSON value (RFC 8785). JSON.stringify already formats numbers and strings as the RFC requires, so only fields
 * have to be sorted. Undefined fields are omitted.
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
