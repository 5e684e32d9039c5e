import { type Range, RangeSet } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin } from '@codemirror/view';

const marks = {
  comment: Decoration.mark({ class: 'y-comment' }),
  key: Decoration.mark({ class: 'y-key' }),
  text: Decoration.mark({ class: 'y-text' }),
  plain: Decoration.mark({ class: 'y-plain' }),
};

/** Matches the end of a line that starts a block scalar. */
const startsBlock = /(?:^|[:-]\s+)[|>][+-]?\d?\s*(?:#.*)?$/;
const key = /^(\s*(?:- +)*)((?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#:"'[{][^:#]*?))\s*:(?=\s|$)/;
const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'/g;
const plain = /(?<=^|[\s[,{])(?:true|false|null|~|-?\d+(?:\.\d+)?)(?=$|[\s,\]}])/g;
const comment = /(?:^|\s)#.*$/;

/** Colours keys, quoted texts, numbers and comments of the lines that are visible. */
export const highlightYaml = ViewPlugin.define(
  (view) => {
    const plugin = {
      decorations: decorate(view),
      update(update: { docChanged: boolean; viewportChanged: boolean; view: EditorView }) {
        if (update.docChanged || update.viewportChanged) plugin.decorations = decorate(update.view);
      },
    };
    return plugin;
  },
  { decorations: (plugin) => plugin.decorations },
);

function decorate({ state, visibleRanges }: EditorView): DecorationSet {
  const found: Range<Decoration>[] = [];
  for (const { from, to } of visibleRanges) {
    let blockIndent: number | undefined;
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      const indent = line.text.search(/\S/);
      if (blockIndent !== undefined && indent !== -1 && indent <= blockIndent) blockIndent = undefined;
      if (blockIndent !== undefined && indent !== -1)
        found.push(marks.text.range(line.from + indent, line.to));
      else if (indent !== -1) found.push(...marksOf(line.text, line.from));
      if (blockIndent === undefined && startsBlock.test(line.text)) blockIndent = indent;
      at = line.to + 1;
    }
  }
  return RangeSet.of(found, true);
}

function marksOf(text: string, offset: number): Range<Decoration>[] {
  const found: Range<Decoration>[] = [];
  const add = (mark: Decoration, from: number, to: number) => {
    if (to > from) found.push(mark.range(offset + from, offset + to));
  };
  const name = key.exec(text);
  const start = name === null ? 0 : name[0].length;
  if (name !== null) add(marks.key, name[1]!.length, name[1]!.length + name[2]!.length);
  const rest = text.slice(start);
  const strings = [...rest.matchAll(quoted)].map(
    ({ index, 0: { length } }) => [index, index + length] as const,
  );
  for (const [from, to] of strings) add(marks.text, start + from, start + to);
  const isInside = (at: number) => strings.some(([from, to]) => at >= from && at < to);
  const note = comment.exec(rest.replace(quoted, (string) => ' '.repeat(string.length)));
  const end = note === null ? rest.length : note.index;
  if (note !== null) add(marks.comment, start + end, text.length);
  for (const { index, 0: value } of rest.matchAll(plain))
    if (!isInside(index) && index < end) add(marks.plain, start + index, start + index + value.length);
  return found;
}
