import type { DataToCheck } from './file-data.ts';
import { maxLevels, maxProblems, type Path, type ProjectFileProblem, pathText, tooDeep } from './problem.ts';

/** Maximum values and field names; the same order of magnitude as the limit for the tokens of a text. */
const maxValues = 500_000;

/**
 * A document that arrived as parsed JSON instead of as the text of a file, so that problems have no line. Checking it takes a few percent
 * of the time of a text, which is parsed with the positions of all values.
 */
export class PlainData implements DataToCheck {
  readonly value: unknown;
  readonly problems: ProjectFileProblem[] = [];
  /** Paths of values that were reported and read as null. */
  readonly #refused = new Set<string>();
  #valuesLeft = maxValues;

  /** Takes the result of `JSON.parse`, and changes it. */
  constructor(value: unknown) {
    this.value = value;
    this.#check(value, [], 1);
    if (this.#valuesLeft < 0)
      this.problems.push({
        path: '',
        message: 'has too many values; keep large data elsewhere and refer to it',
      });
  }

  problem(path: Path, message: string, at?: 'name'): ProjectFileProblem[] {
    const text = pathText(path);
    return at !== 'name' && this.#refused.has(text) ? [] : [{ path: text, message }];
  }

  line(): undefined {
    return undefined;
  }

  written(path: Path): string | undefined {
    let value = this.value;
    for (const segment of path) value = (value as Record<string | number, unknown> | undefined)?.[segment];
    return typeof value === 'object' && value !== null ? undefined : String(value);
  }

  /** Refuses what `JSON.parse` accepts and a file must not have. */
  #check(value: unknown, path: Path, level: number): void {
    if (typeof value !== 'object' || value === null) return;
    const fields = value as Record<string, unknown>;
    if (Object.hasOwn(fields, '__proto__')) {
      if (this.problems.length < maxProblems)
        this.problems.push({
          path: pathText(path),
          message: 'has a field named "__proto__"; choose another name',
        });
      Reflect.deleteProperty(fields, '__proto__');
    }
    const names = Object.keys(fields);
    this.#valuesLeft -= Array.isArray(value) ? names.length : 2 * names.length;
    if (this.#valuesLeft < 0) return;
    for (const name of names) {
      const item = fields[name];
      if (typeof item !== 'object' || item === null) continue;
      const itemPath = [...path, Array.isArray(value) ? Number(name) : name];
      if (level < maxLevels) this.#check(item, itemPath, level + 1);
      else this.#refuse(fields, name, itemPath);
    }
  }

  #refuse(parent: Record<string, unknown>, name: string, path: Path): void {
    parent[name] = null;
    if (this.problems.length >= maxProblems) return;
    const text = pathText(path);
    this.#refused.add(text);
    this.problems.push({ path: text, message: tooDeep });
  }
}
