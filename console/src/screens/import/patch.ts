import type { Edit } from './file-text.ts';

/** Unchanged lines around a difference. */
const around = 3;

/** The edits of a file as a unified difference, as `git apply` and `patch -p1` read it; `''` if nothing changes. */
export function patchOf(name: string, text: string, edits: readonly Edit[]): string {
  const lines = text.split('\n');
  const hunks: string[] = [];
  let added = 0;
  for (const group of grouped(text, edits)) {
    const first = Math.max(0, group[0]!.firstLine - around);
    const last = Math.min(contentLines(lines) - 1, group.at(-1)!.lastLine + around);
    const body: string[] = [];
    let line = first;
    for (const { firstLine, lastLine, now } of group) {
      while (line < firstLine) body.push(` ${lines[line++]}`);
      while (line <= lastLine) body.push(`-${lines[line++]}`);
      body.push(...now.map((one) => `+${one}`));
    }
    while (line <= last) body.push(` ${lines[line++]}`);
    const before = body.filter((one) => !one.startsWith('+')).length;
    const after = body.filter((one) => !one.startsWith('-')).length;
    hunks.push(`@@ -${first + 1},${before} +${first + 1 + added},${after} @@`, ...body);
    added += after - before;
  }
  return hunks.length === 0 ? '' : `${[`--- a/${name}`, `+++ b/${name}`, ...hunks].join('\n')}\n`;
}

/** Lines of a file that are replaced by others. */
interface Replaced {
  firstLine: number;
  lastLine: number;
  now: string[];
}

/** The replaced lines, in groups whose surroundings do not overlap. */
function grouped(text: string, edits: readonly Edit[]): Replaced[][] {
  const groups: Replaced[][] = [];
  for (const replaced of byLines(text, edits)) {
    const group = groups.at(-1);
    if (group !== undefined && replaced.firstLine - group.at(-1)!.lastLine <= 2 * around)
      group.push(replaced);
    else groups.push([replaced]);
  }
  return groups;
}

/** Extends edits to whole lines. Edits of the same line become one. */
function byLines(text: string, edits: readonly Edit[]): Replaced[] {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const found: (Replaced & { edits: Edit[] })[] = [];
  for (const edit of edits) {
    const firstLine = lineAt(starts, edit.from);
    // An edit that ends behind a line break does not change the next line.
    const isAfterBreak = edit.to > edit.from && text[edit.to - 1] === '\n';
    const lastLine = lineAt(starts, isAfterBreak ? edit.to - 1 : edit.to);
    const same = found.at(-1);
    if (same !== undefined && same.lastLine >= firstLine) {
      same.lastLine = Math.max(same.lastLine, lastLine);
      same.edits.push(edit);
    } else found.push({ firstLine, lastLine, now: [], edits: [edit] });
  }
  return found.map(({ firstLine, lastLine, edits: own }) => {
    const from = starts[firstLine]!;
    const to = starts[lastLine + 1] ?? text.length;
    const now = edited(text, own, from, to);
    const old = text.slice(from, to).replace(/\n$/, '').split('\n');
    return trimmed(firstLine, old, now === '' ? [] : now.replace(/\n$/, '').split('\n'));
  });
}

/** Leaves out equal lines at both ends. */
function trimmed(firstLine: number, old: readonly string[], now: readonly string[]): Replaced {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return {
    firstLine: firstLine + start,
    lastLine: firstLine + old.length - 1 - end,
    now: now.slice(start, now.length - end),
  };
}

/** A part of a text after its edits. */
function edited(text: string, edits: readonly Edit[], from: number, to: number): string {
  let at = from;
  let result = '';
  for (const edit of edits) {
    result += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return result + text.slice(at, to);
}

/** The line that an offset is in, from the offsets at which lines start. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Without the empty line behind the last line break. */
function contentLines(lines: readonly string[]): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}
