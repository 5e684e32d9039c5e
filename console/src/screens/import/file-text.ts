import type { Change } from '@session-launch/contract/admin/changes';
import { Document, isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml';

/** A place in a project file: names of fields and indexes of list items. */
type Path = (string | number)[];

/** Text that replaces a part of a file. */
export interface Edit {
  from: number;
  to: number;
  text: string;
}

/** A field of the file in a block of lines, and where it is. */
interface Field {
  path: Path;
  pair: Pair<Node, Node | null>;
}

/**
 * Edits that give a project file the values that the service has, from the changes of its plan. All other lines stay as they are, with
 * their comments. Experiences that only the file has stay in it. Returns `undefined` for a file that is not written in lines, such as
 * JSON.
 */
export function editsOf(text: string, changes: readonly Change[]): Edit[] | undefined {
  const document = parseDocument(text, { keepSourceTokens: false });
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const wanted = changes.flatMap(({ path, before }) => {
    const place = placeOf(document, path);
    return place === undefined ? [] : [{ path: place, value: before }];
  });
  const edits = new Map<string, Edit>();
  const byField = new Map<string, { field: Field; inside: { path: Path; value: unknown }[] }>();
  for (const { path, value } of wanted) {
    const found = innermostField(document, path);
    if (found === undefined) return undefined;
    const { field, map } = found;
    if (map !== undefined && path.length === map.path.length + 1) {
      if (value !== undefined) addField(text, edits, map, String(path.at(-1)), value);
      continue;
    }
    if (field === undefined) return undefined;
    const key = JSON.stringify(field.path);
    const known = byField.get(key) ?? { field, inside: [] };
    known.inside.push({ path: path.slice(field.path.length), value });
    byField.set(key, known);
  }
  for (const [key, { field, inside }] of byField) {
    // A field inside another one that is written anew is part of it.
    const outer = [...byField.values()].find(
      (one) => one.field !== field && startsWith(field.path, one.field.path),
    );
    if (outer !== undefined) {
      const below = field.path.slice(outer.field.path.length);
      outer.inside.push(...inside.map(({ path, value }) => ({ path: [...below, ...path], value })));
      byField.delete(key);
    }
  }
  for (const [key, { field, inside }] of byField) edits.set(key, editOf(text, field, inside));
  // Of two fields added at the same place, the one further inside comes first.
  return [...edits.values()].toSorted((a, b) => a.from - b.from || indentOf(b) - indentOf(a));
}

/** The place of a path of a plan, in which experiences have their ids: `experiences[exp_cafe].title`. */
function placeOf(document: Document, path: string): Path | undefined {
  const [, id, rest = ''] = /^experiences\[([^\]]+)\]\.?(.*)$/s.exec(path) ?? [];
  const steps = (text: string): Path =>
    [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([step, index]) =>
      index === undefined ? step : Number(index),
    );
  if (id === undefined) return steps(path);
  const experiences = document.getIn(['experiences']);
  if (!isSeq(experiences) || rest === '') return undefined;
  const index = experiences.items.findIndex((item) => isMap(item) && item.get('id') === id);
  return index === -1 ? undefined : ['experiences', index, ...steps(rest)];
}

interface Block {
  path: Path;
  pairs: Pair<Node, Node | null>[];
}

/** The innermost field on a path that has its own line, and the innermost block of such fields. */
function innermostField(
  document: Document,
  path: Path,
): { field: Field | undefined; map: Block | undefined } | undefined {
  let node: unknown = document.contents;
  let field: Field | undefined;
  let map: Block | undefined;
  for (const [depth, step] of path.entries()) {
    map = undefined;
    if (isMap(node) && !node.flow) {
      const pairs = node.items as Pair<Node, Node | null>[];
      const pair = pairs.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) {
        map = { path: path.slice(0, depth), pairs };
        break;
      }
      field = { path: path.slice(0, depth + 1), pair };
      node = pair.value;
    } else if (isSeq(node) && !node.flow && typeof step === 'number') node = node.items[step];
    else break;
  }
  return field === undefined && map === undefined ? undefined : { field, map };
}

function startsWith(path: Path, start: Path): boolean {
  return start.length < path.length && start.every((step, index) => step === path[index]);
}

function indentOf({ text }: Edit): number {
  return /^\n( *)/.exec(text)?.[1]?.length ?? 0;
}

/** Adds a field to a block, before the first field that has a block itself, or at the end. */
function addField(
  text: string,
  edits: Map<string, Edit>,
  { path, pairs }: Block,
  name: string,
  value: unknown,
): void {
  const nested = pairs.findIndex(({ value: one }) => (isMap(one) || isSeq(one)) && !one.flow);
  const last = pairs[nested - 1] ?? pairs.at(-1)!;
  const at = lineEnd(text, endOf(text, last));
  const column = columnOf(text, last.key.range![0]);
  const key = JSON.stringify([...path, null]);
  const known = edits.get(key)?.text ?? '';
  edits.set(key, {
    from: at,
    to: at,
    text: `${known}\n${' '.repeat(column)}${written(name, value, null, column)}`,
  });
}

/** Writes a field anew with other values inside, or removes it. */
function editOf(text: string, { pair }: Field, inside: readonly { path: Path; value: unknown }[]): Edit {
  const from = pair.key.range![0];
  const to = endOf(text, pair);
  const whole = inside.find(({ path }) => path.length === 0);
  let value: unknown = whole === undefined ? (pair.value?.toJSON() ?? undefined) : whole.value;
  if (whole === undefined) for (const one of inside) value = changed(value, one.path, one.value);
  const name = String((pair.key as unknown as { value: unknown }).value);
  if (value !== undefined)
    return { from, to, text: written(name, withoutHoles(value), pair.value, columnOf(text, from)) };
  const start = text.lastIndexOf('\n', from - 1) + 1;
  // The first field of a list item stands behind the dash, which must stay.
  if (text.slice(start, from).trim() !== '') return { from, to: lineEnd(text, to), text: '' };
  return { from: start, to: Math.min(text.length, lineEnd(text, to) + 1), text: '' };
}

function changed(value: unknown, [step, ...rest]: Path, to: unknown): unknown {
  if (step === undefined) return to;
  if (typeof step === 'number') {
    // A single text is a list of one variant.
    const items = Array.isArray(value) ? [...value] : value === undefined ? [] : [value];
    items[step] = changed(items[step], rest, to);
    return items;
  }
  const fields = { ...((value as Record<string, unknown> | undefined) ?? {}) };
  const next = changed(fields[step], rest, to);
  if (next === undefined) delete fields[step];
  else fields[step] = next;
  return fields;
}

/** Without list items that were removed. */
function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== undefined).map(withoutHoles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutHoles(item)]));
}

/** A field as text, in the style that its value had before. */
function written(name: string, value: unknown, before: Node | null, column: number): string {
  const document = new Document({ [name]: value });
  copyStyle(document.get(name, true) ?? null, before);
  const lines = document.toString({ lineWidth: 0, blockQuote: false }).trimEnd().split('\n');
  return lines.join(`\n${' '.repeat(column)}`);
}

/** Writes lists and maps on one line where they were. */
function copyStyle(node: unknown, before: unknown): void {
  if (isSeq(node) && isSeq(before)) {
    node.flow = before.flow ?? false;
    node.items.forEach((item, index) => {
      copyStyle(item, before.items[index] ?? before.items.at(-1));
    });
  }
  if (!isMap(node) || !isMap(before)) return;
  node.flow = before.flow ?? false;
  for (const { key, value } of node.items) copyStyle(value, before.get(key, true));
}

/** Where the value of a field ends, without the blank lines and comments behind it. */
function endOf(text: string, { key, value }: Pair<Node, Node | null>): number {
  const end = lastOf(value)?.range?.[1] ?? value?.range?.[1] ?? key.range![1] + 1;
  return text.slice(0, end).trimEnd().length;
}

/** The last node inside a block, which ends before the comments behind the block. */
function lastOf(node: Node | null): Node | null {
  if (isMap(node) && !node.flow && node.items.length > 0) {
    const { key, value } = node.items.at(-1) as Pair<Node, Node | null>;
    return lastOf(value) ?? key;
  }
  if (isSeq(node) && !node.flow && node.items.length > 0) return lastOf(node.items.at(-1) as Node);
  return node;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function columnOf(text: string, at: number): number {
  return at - (text.lastIndexOf('\n', at - 1) + 1);
}
