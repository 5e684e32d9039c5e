import type { Sent } from '@session-launch/contract/sent';
import type { Static, TObject } from 'typebox';
import { isoTime } from '../primitives/iso-time.ts';

/** A row with the fields of an answer: times as dates, and null instead of absent fields. */
type Row<Answer> = {
  readonly [K in keyof Answer]-?: Column<Answer[K]> | (object extends Pick<Answer, K> ? null : never);
};
type Column<Value> = string extends Value ? Value | Date : Sent<Value>;

/** The answer of this schema from a row: only its fields, times in ISO 8601, and optional fields without those that are null. */
export function recordOf<Schema extends TObject>(
  { properties, required }: Schema,
  row: Row<Static<Schema>>,
): Static<Schema> {
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(properties)) {
    const value = (row as Record<string, unknown>)[name];
    if (value === null && !(required as string[] | undefined)?.includes(name)) continue;
    fields[name] = value instanceof Date ? isoTime(value) : value;
  }
  return fields as Static<Schema>;
}
