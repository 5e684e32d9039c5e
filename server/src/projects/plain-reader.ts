import {
  type Alias,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { maxProblems, type Path, ProjectFileError, type ProjectFileProblem, quoted } from './problem.ts';
import { maxLevels } from './yaml-text.ts';

/** Values that aliases may add to a file. Sharing a transport takes a few; a file that explodes takes millions. */
const maxAliased = 10_000;

const plainTags = ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((t) => `tag:yaml.org,2002:${t}`);

/** Which node each alias stands for. */
export type Targets = Pick<ReadonlyMap<Alias, Node | undefined>, 'get'>;

/** Turns syntax nodes into data, and refuses what JSON could not say. A refused value reads as null. */
export class PlainReader {
  readonly problems: ProjectFileProblem[] = [];
  readonly #spoiled = new Set<string>();
  readonly #targets: Targets;
  readonly #describe: (node: Node, path: Path, message: string) => ProjectFileProblem;
  /** Collections that are being read, to notice one that holds an alias of itself. */
  readonly #open = new Set<unknown>();
  #aliasedLeft = maxAliased;
  #outermost: { alias: Alias; path: Path } | undefined;

  constructor(targets: Targets, describe: (node: Node, path: Path, message: string) => ProjectFileProblem) {
    this.#targets = targets;
    this.#describe = describe;
  }

  isSpoiled(path: Path): boolean {
    return this.#spoiled.has(JSON.stringify(path));
  }

  read(node: unknown, path: Path, level: number): unknown {
    if (this.#outermost !== undefined && --this.#aliasedLeft < 0) throw this.#explosion(this.#outermost);
    if (isAlias(node)) return this.#readAlias(node, path, level);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
    if (node.tag !== undefined && !plainTags.includes(node.tag)) {
      const tag = node.tag.replace('tag:yaml.org,2002:', '!!');
      return this.#refuse(
        node,
        path,
        `has the tag ${quoted(tag)}; remove it and write plain text or numbers`,
      );
    }
    if (isScalar(node)) return this.#readScalar(node, path);
    if (level > maxLevels) {
      return this.#refuse(node, path, `is nested more than ${maxLevels} levels deep; flatten it`);
    }
    this.#open.add(node);
    const value = isMap(node)
      ? this.#readMap(node, path, level)
      : node.items.map((item, index) => this.read(item, [...path, index], level + 1));
    this.#open.delete(node);
    return value;
  }

  #readAlias(alias: Alias, path: Path, level: number): unknown {
    const target = this.#targets.get(alias);
    const name = quoted(alias.source);
    if (target === undefined) {
      const fix = `define it first, or put the value in quotes if "*" is part of it`;
      return this.#refuse(alias, path, `is an alias of ${name}, which nothing before it defines; ${fix}`);
    }
    if (this.#open.has(target)) {
      return this.#refuse(alias, path, `is an alias of ${name}, which contains it; write the value out`);
    }
    const outermost = this.#outermost;
    this.#outermost ??= { alias, path };
    const value = this.read(target, path, level);
    this.#outermost = outermost;
    return value;
  }

  #explosion({ alias, path }: { alias: Alias; path: Path }): ProjectFileError {
    const size = `with the aliases before it, stands for more than ${maxAliased} values`;
    this.#complain(alias, path, `is an alias that, ${size}; write the values out`);
    return new ProjectFileError(this.problems);
  }

  #readScalar(node: Scalar, path: Path): unknown {
    const { value } = node;
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') {
      const problem = problemInText(value);
      return problem === undefined ? value : this.#refuse(node, path, `has ${problem}; remove it`);
    }
    const written = node.source ?? String(value);
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      return this.#refuse(node, path, `is ${quoted(written)}, which JSON cannot hold; put it in quotes`);
    }
    if (/^(?:[-+]?\d+|0x[\da-f]+|0o[0-7]+)$/i.test(written) && !isExact(written, value)) {
      return this.#refuse(node, path, `is too large to be kept exactly; put it in quotes: "${written}"`);
    }
    return value === 0 ? 0 : value;
  }

  #readMap(map: YAMLMap, path: Path, level: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    const seen = new Map<string, Node>();
    for (const { key, value } of map.items) {
      const name = this.#readName(isAlias(key) || isScalar(key) || isCollection(key) ? key : map, path);
      if (name === undefined) continue;
      const earlier = seen.get(name);
      if (earlier !== undefined) {
        const line = this.#describe(earlier, path, '').line;
        this.#complain(
          key as Node,
          path,
          `has the field ${quoted(name)} twice, first on line ${line}; keep one`,
        );
        continue;
      }
      seen.set(name, key as Node);
      fields[name] = this.read(value, [...path, name], level + 1);
    }
    return fields;
  }

  #readName(key: Node, path: Path): string | undefined {
    if (!isScalar(key)) {
      this.#complain(key, path, 'has a field name that is not text; write a plain name');
    } else if (typeof key.value !== 'string') {
      const written = quoted(key.source ?? '');
      this.#complain(key, path, `has the field name ${written}, which is not text; put it in double quotes`);
    } else if (key.tag !== undefined && !plainTags.includes(key.tag)) {
      this.#complain(key, path, `has a tag before the field name ${quoted(key.value)}; remove it`);
    } else if (key.value === '<<' && key.type === 'PLAIN') {
      this.#complain(key, path, 'has the merge key "<<", which is not supported; write the fields out');
    } else if (key.value === '__proto__') {
      this.#complain(key, path, 'has a field named "__proto__"; choose another name');
    } else {
      const problem = problemInText(key.value);
      if (problem === undefined) return key.value;
      this.#complain(key, path, `has a field name with ${problem}; remove it`);
    }
    return undefined;
  }

  #complain(node: Node, path: Path, message: string): void {
    if (this.problems.length < maxProblems) this.problems.push(this.#describe(node, path, message));
  }

  #refuse(node: Node, path: Path, message: string): null {
    this.#complain(node, path, message);
    this.#spoiled.add(JSON.stringify(path));
    return null;
  }
}

function problemInText(text: string): string | undefined {
  if (text.includes('\0')) return 'a NUL character';
  if (!text.isWellFormed()) return 'half of a surrogate pair';
  return undefined;
}

/** Whether a whole number survives: it is what JavaScript holds, or what it prints for what it holds. */
function isExact(written: string, value: number): boolean {
  const digits = written.replace(/^\+/, '');
  return Number.isSafeInteger(value) || String(value) === digits || BigInt(digits) === BigInt(value);
}
