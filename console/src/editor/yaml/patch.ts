type Line = { kind: ' ' | '-' | '+'; text: string };

/** Lines around a difference. */
const around = 3;

/** A unified difference of two texts, or `''` if they are equal. */
export function unifiedPatch(before: string, after: string, file: string): string {
  const lines = lineDifferences(before.replace(/\n$/, '').split('\n'), after.replace(/\n$/, '').split('\n'));
  const isNear = lines.map((_, n) =>
    lines.slice(Math.max(0, n - around), n + around + 1).some(({ kind }) => kind !== ' '),
  );
  const hunks: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let n = 0; n < lines.length; ) {
    const end = isNear[n] ? isNear.indexOf(false, n) : isNear.indexOf(true, n);
    const part = lines.slice(n, end === -1 ? lines.length : end);
    const oldCount = part.filter(({ kind }) => kind !== '+').length;
    const newCount = part.filter(({ kind }) => kind !== '-').length;
    if (isNear[n])
      hunks.push(
        `@@ -${oldLine},${oldCount} +${newLine},${newCount} @@`,
        ...part.map(({ kind, text }) => `${kind}${text}`),
      );
    oldLine += oldCount;
    newLine += newCount;
    n += part.length;
  }
  return hunks.length === 0 ? '' : `${[`--- a/${file}`, `+++ b/${file}`, ...hunks].join('\n')}\n`;
}

/** Maximum entries of the table that finds common lines. Beyond it, the part between the first and last difference is replaced. */
const maxEntries = 4_000_000;

/** The lines that are removed, added and kept from one text to the other. */
function lineDifferences(before: readonly string[], after: readonly string[]): Line[] {
  const isShared = (one: number, other: number) => one >= 0 && other >= 0 && before[one] === after[other];
  let start = 0;
  while (start < before.length && start < after.length && isShared(start, start)) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && isShared(before.length - 1 - end, after.length - 1 - end)) end++;
  const kept = (texts: readonly string[]) => texts.map((text): Line => ({ kind: ' ', text }));
  return [
    ...kept(before.slice(0, start)),
    ...middleDifferences(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...kept(before.slice(before.length - end)),
  ];
}

function middleDifferences(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  const isTooLarge = before.length * width > maxEntries;
  // The number of lines that the ends of both texts have in common, from each pair of lines.
  const common = new Uint32Array(isTooLarge ? 0 : (before.length + 1) * width);
  if (!isTooLarge)
    for (let i = before.length - 1; i >= 0; i--)
      for (let j = after.length - 1; j >= 0; j--)
        common[i * width + j] =
          before[i] === after[j]
            ? common[(i + 1) * width + j + 1]! + 1
            : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const isBoth = i < before.length && j < after.length;
    if (isBoth && !isTooLarge && before[i] === after[j]) {
      lines.push({ kind: ' ', text: before[i]! });
      [i, j] = [i + 1, j + 1];
    } else if (
      i < before.length &&
      (!isBoth || isTooLarge || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    ) {
      lines.push({ kind: '-', text: before[i++]! });
    } else {
      lines.push({ kind: '+', text: after[j++]! });
    }
  }
  return lines;
}
