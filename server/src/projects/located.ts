import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, visit } from 'yaml';
import { PlainReader, type Targets } from './plain-reader.ts';
import { type Path, type ProjectFileProblem, pathText } from './problem.ts';
import { type ParsedText, problemAt } from './yaml-text.ts';

/** A file as plain JSON data that still knows where each part was written. */
export interface Located {
  value: unknown;
  /** What is wrong with values wherever they stand: dates, NUL characters, repeated fields. */
  problems: ProjectFileProblem[];
  /** A problem with the value at a path, or with the name of that field. Nothing for a value known to be bad. */
  problem(path: Path, message: string, at?: 'name'): ProjectFileProblem[];
  line(path: Path): number | undefined;
  /** How a scalar was written, such as `007` for the number 7. */
  written(path: Path): string | undefined;
}

export function locate({ document, lines }: ParsedText): Located {
  const root = document.contents;
  // Looked for when the first alias is met: most files have none.
  let found: Targets | undefined;
  const targets: Targets = {
    get: (alias) => {
      found ??= aliasTargets(document);
      return found.get(alias);
    },
  };
  const reader = new PlainReader(targets, (node, path, message) => ({
    ...problemAt(lines, node.range?.[0] ?? 0, message),
    path: pathText(path),
  }));
  const value = reader.read(root, [], 1);
  const find = finder(root, targets);

  const position = (path: Path, at?: 'name') => {
    const { name, node } = find(path);
    const isWritten = isScalar(node) && node.range?.[0] !== node.range?.[1];
    const range = (isWritten && at !== 'name' ? node : (name ?? node))?.range;
    return range ? problemAt(lines, range[0], '') : undefined;
  };
  return {
    value,
    problems: reader.problems,
    problem: (path, message, at) =>
      at !== 'name' && reader.isSpoiled(path)
        ? []
        : [{ ...position(path, at), path: pathText(path), message }],
    line: (path) => position(path)?.line,
    written: (path) => {
      const { node } = find(path);
      const scalar = isAlias(node) ? targets.get(node) : node;
      return isScalar(scalar) ? scalar.source : undefined;
    },
  };
}

/** Which node each alias stands for: the last one before it that carries the anchor. */
function aliasTargets(document: Document): Targets {
  const anchored = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  visit(document, {
    Alias: (_, node) => {
      targets.set(node, anchored.get(node.source));
    },
    Value: (_, node) => {
      if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
  });
  return targets;
}

/** Looks up the name and the value at a path, through aliases, which `getIn` does not follow. */
function finder(root: unknown, targets: Targets) {
  return (path: Path): { name?: Node; node?: Node } => {
    let name: unknown;
    let node: unknown = root;
    for (const segment of path) {
      while (isAlias(node)) node = targets.get(node);
      const pair: { key?: unknown; value: unknown } | undefined = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && key.value === segment)
        : isSeq(node)
          ? { value: node.items[Number(segment)] }
          : undefined;
      name = pair?.key;
      node = pair?.value;
    }
    return { ...(name ? { name: name as Node } : {}), ...(node ? { node: node as Node } : {}) };
  };
}
