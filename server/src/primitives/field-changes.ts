import type { FieldChange } from '@session-launch/contract/admin/changes';
import { canonicalJson } from './canonical-json.ts';

/**
 * The differences between two JSON documents. Fields of objects are compared one by one and lists item by item; every other value is
 * compared as a whole. A list that became longer or shorter reports each item that was added or removed at its end.
 */
export function fieldChanges(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (isFields(before) && isFields(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) =>
      fieldChanges(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }, (_, i) => i).flatMap((i) =>
      fieldChanges(before[i], after[i], `${path}[${i}]`),
    );
  }
  if (before === after) return [];
  // Both may be objects of different kinds, but equal values are never reported.
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after))
    return [];
  return [
    {
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ];
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
