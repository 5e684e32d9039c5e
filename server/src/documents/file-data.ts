import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import {
  maxLevels,
  maxProblems,
  type Path,
  ProjectFileError,
  type ProjectFileProblem,
  pathText,
  quoted,
  tooDeep,
} from './problem.ts';
import { type ParsedText, problemAt } from './syntax.ts';

/** Maximum values that aliases may add to a file, against exponential expansion. */
const maxAliased = 10_000;
/** Maximum characters of text that aliases may add, against a long text that is repeated. */
const maxAliasedText = 1024 * 1024;

/** The JSON data of a document, and where problems with it are reported. */
export interface DataToCheck {
  readonly value: unknown;
  /** Problems with single values or field names. */
  readonly problems: ProjectFileProblem[];
  /** A problem with the value at a path, or with its field name. Empty if the value has been reported already. */
  problem(path: Path, message: string, at?: 'name'): ProjectFileProblem[];
  line(path: Path): number | undefined;
  /** The source text of a scalar, such as `007` for the number 7. */
  written(path: Path): string | undefined;
}

/**
 * A parsed file as plain JSON data, with the source position of each value. Values that JSON cannot represent are reported
 * and read as null.
 */
export class FileData implements DataToCheck {
  readonly value: unknown;
  /** Problems with single values or field names: tags, NUL characters, duplicate fields. */
  readonly problems: ProjectFileProblem[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  /** The node that each alias refers to. Filled at the first alias, since most files have none. */
  #targets: ReadonlyMap<Alias, Node | undefined> | undefined;
  /** Nodes that were reported and read as null. */
  readonly #refused = new Set<unknown>();
  /** Collections being read, to detect an alias inside the collection that it refers to. */
  readonly #open = new Set<unknown>();
  #aliasedLeft = maxAliased;
  #aliasedTextLeft = maxAliasedText;
  /** The outermost alias being read. */
  #alias: { node: Alias; path: Path } | undefined;

  constructor({ document, lines }: ParsedText) {
    this.#document = document;
    this.#lines = lines;
    this.value = this.#read(document.contents, [], 1);
  }

  problem(path: Path, message: string, at?: 'name'): ProjectFileProblem[] {
    const { node } = this.#find(path);
    const isReported = this.#refused.has(node) || this.#refused.has(this.#resolve(node));
    if (at !== 'name' && isReported) return [];
    return [{ ...this.#position(path, at), path: pathText(path), message }];
  }

  line(path: Path): number | undefined {
    return this.#position(path)?.line;
  }

  written(path: Path): string | undefined {
    const node = this.#resolve(this.#find(path).node);
    return isScalar(node) ? node.source : undefined;
  }

  #position(path: Path, at?: 'name'): ProjectFileProblem | undefined {
    const { name, node } = this.#find(path);
    const isWritten = isScalar(node) && node.range?.[0] !== node.range?.[1];
    const found = isWritten && at !== 'name' ? node : (name ?? node);
    return isNode(found) && found.range ? problemAt(this.#lines, found.range[0], '') : undefined;
  }

  /** The field name and value at a path. Unlike `getIn` of `yaml`, it follows aliases. */
  #find(path: Path): { name?: unknown; node?: unknown } {
    let found: { name?: unknown; node?: unknown } = { node: this.#document.contents };
    for (const segment of path) {
      const parent = this.#resolve(found.node);
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && key.value === segment)
        : undefined;
      found = isSeq(parent)
        ? { node: parent.items[Number(segment)] }
        : { name: pair?.key, node: pair?.value };
    }
    return found;
  }

  #resolve(node: unknown): unknown {
    if (!isAlias(node)) return node;
    this.#targets ??= aliasTargets(this.#document);
    return this.#targets.get(node);
  }

  #read(node: unknown, path: Path, level: number): unknown {
    if (this.#alias !== undefined) this.#countAliased(node, this.#alias);
    if (isAlias(node)) return this.#readAlias(node, path, level);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    const problem = valueProblem(node) ?? (!isScalar(node) && level > maxLevels ? tooDeep : undefined);
    if (problem !== undefined) return this.#refuse(node, path, problem);
    if (isScalar(node)) return Object.is(node.value, -0) ? 0 : node.value;
    this.#open.add(node);
    const value = isMap(node)
      ? this.#readMap(node, path, level)
      : node.items.map((item, index) => this.#read(item, [...path, index], level + 1));
    this.#open.delete(node);
    return value;
  }

  #countAliased(node: unknown, alias: { node: Alias; path: Path }): void {
    if (isScalar(node) && typeof node.value === 'string') this.#aliasedTextLeft -= node.value.length;
    const isTooMany = --this.#aliasedLeft < 0;
    if (!isTooMany && this.#aliasedTextLeft >= 0) return;
    const bound = isTooMany ? `${maxAliased} values` : `${maxAliasedText} characters`;
    const message = `expands, with the aliases before it, to more than ${bound}; write the values out`;
    this.#report(alias.node, alias.path, message);
    throw new ProjectFileError(this.problems);
  }

  #readAlias(alias: Alias, path: Path, level: number): unknown {
    const target = this.#resolve(alias);
    const name = quoted(alias.source);
    if (target === undefined) {
      const fix = `define it first, or put the value in quotes if "*" is part of it`;
      return this.#refuse(alias, path, `is an alias of ${name}, which nothing before it defines; ${fix}`);
    }
    if (this.#open.has(target)) {
      return this.#refuse(alias, path, `is an alias of ${name}, which contains it; write the value out`);
    }
    const outermost = this.#alias;
    this.#alias ??= { node: alias, path };
    const value = this.#read(target, path, level);
    this.#alias = outermost;
    return value;
  }

  #readMap(map: YAMLMap, path: Path, level: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    const seen = new Map<string, Node>();
    for (const { key, value } of map.items) {
      const node = isNode(key) ? key : map;
      const problem = nameProblem(node);
      const name = isScalar(node) ? String(node.value) : '';
      const earlier = seen.get(name);
      if (problem !== undefined) this.#report(node, path, problem);
      else if (earlier !== undefined) {
        const { line } = problemAt(this.#lines, earlier.range![0], '');
        this.#report(node, path, `has the field ${quoted(name)} twice, first on line ${line}; keep one`);
      } else {
        seen.set(name, node);
        fields[name] = this.#read(value, [...path, name], level + 1);
      }
    }
    return fields;
  }

  #report(node: Node, path: Path, message: string): void {
    if (this.problems.length >= maxProblems) return;
    this.problems.push({
      ...problemAt(this.#lines, node.range?.[0] ?? 0, message),
      path: pathText(path),
    });
  }

  #refuse(node: Node, path: Path, message: string): null {
    this.#report(node, path, message);
    this.#refused.add(node);
    return null;
  }
}

/** An alias refers to the last node before it that has its anchor. */
function aliasTargets(document: Document): ReadonlyMap<Alias, Node | undefined> {
  const anchored = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  visit(document, {
    Alias: (_, alias) => void targets.set(alias, anchored.get(alias.source)),
    Value: (_, node) => void (node.anchor !== undefined && anchored.set(node.anchor, node)),
  });
  return targets;
}

const plainTag = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

/** Why JSON cannot represent a value. */
function valueProblem(node: Node): string | undefined {
  if (node.tag !== undefined && !plainTag.test(node.tag)) {
    const tag = node.tag.replace('tag:yaml.org,2002:', '!!');
    return `has the tag ${quoted(tag)}; remove it and write plain text or numbers`;
  }
  return isScalar(node) ? scalarProblem(node) : undefined;
}

function scalarProblem({ value, source }: Scalar): string | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'string') {
    const problem = textProblem(value);
    return problem && `has ${problem}; remove it`;
  }
  const written = source ?? String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return `is ${quoted(written)}, which JSON cannot represent; put it in quotes`;
  }
  if (/^(?:[-+]?\d+|0x[\da-f]+|0o[0-7]+)$/i.test(written) && !isExact(written, value)) {
    return `is too large to be kept exactly; put it in quotes: "${written}"`;
  }
  return undefined;
}

function nameProblem(key: Node): string | undefined {
  if (!isScalar(key)) return 'has a field name that is not text; write a plain name';
  const { value, source, tag, type } = key;
  if (typeof value !== 'string') {
    return `has the field name ${quoted(source ?? '')}, which is not text; put it in double quotes`;
  }
  if (tag !== undefined && !plainTag.test(tag)) {
    return `has a tag before the field name ${quoted(value)}; remove it`;
  }
  if (value === '<<' && type === 'PLAIN') {
    return 'has the merge key "<<", which is not supported; write the fields out';
  }
  if (value === '__proto__') return 'has a field named "__proto__"; choose another name';
  const problem = textProblem(value);
  return problem && `has a field name with ${problem}; remove it`;
}

function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'a NUL character';
  return text.isWellFormed() ? undefined : 'half of a surrogate pair';
}

/** Whether JavaScript represents a whole number exactly, or prints the digits that were written. */
function isExact(written: string, value: number): boolean {
  const digits = written.replace(/^\+/, '');
  return Number.isSafeInteger(value) || String(value) === digits || BigInt(digits) === BigInt(value);
}
