import { typeid } from 'typeid-js';

export type IdPrefix = 'ses' | 'key' | 'req';

/** A new id: a TypeID, so ids sort by the time they were made. */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}

/** Whether a text has the shape of an id. What has not cannot be stored, and need not be looked up. */
export function isId(prefix: IdPrefix | 'prj' | 'exp', text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[a-z]{3}_[A-Za-z0-9_-]{1,64}$/.test(text);
}
