import { defaults } from '@session-launch/contract/project-file/fields';
import { patterns } from '@session-launch/contract/project-file/patterns';
import { maxRecipeLength } from '@session-launch/contract/project-file/runtime';
import { normaliseEntry } from '../origins/origin.ts';
import { canonicalLocale } from '../primitives/locale.ts';
import { transportType } from '../transports/known.ts';
import type { DataToCheck } from './file-data.ts';
import { mindProblems } from './mind.ts';
import { explainLanguageTag, problemInDecodedPath } from './pattern-messages.ts';
import { type Path, type ProjectFileProblem, pathText, quoted } from './problem.ts';

/**
 * Problems that JSON Schema cannot find: origins, language tags, addresses and uniqueness. Accepts a file that does not
 * match the schema, so that all problems are reported together.
 */
export function semanticProblems(file: DataToCheck): ProjectFileProblem[] {
  const experiences = itemsOf(file.value, ['experiences']);
  return [
    ...originProblems(file, ['project', 'allowedOrigins']),
    ...Object.keys(defaults.limits).flatMap((limit) => limitProblems(file, ['project', 'limits', limit])),
    ...experiences.flatMap((path) => experienceProblems(file, path)),
    ...repeated(file, experiences, 'id', 'ids are unique; change one'),
    ...repeated(file, experiences, 'slug', 'slugs are unique in a project; change one'),
  ];
}

function experienceProblems(file: DataToCheck, path: Path): ProjectFileProblem[] {
  const runtime = [...path, 'runtime'];
  const languages = [...runtime, 'languages'];
  const characters = itemsOf(file.value, [...runtime, 'characters']);
  return [
    ...originProblems(file, [...path, 'allowedOrigins']),
    ...assetProblems(file, [...path, 'thumbnailPath'], patterns.avatarPath),
    ...assetProblems(file, [...path, 'galleryThumb', 'avatarImage'], patterns.avatarPath),
    ...assetProblems(file, [...path, 'galleryThumb', 'backgroundImage'], patterns.locationPath),
    ...localeProblems(file, [...languages, 'default']),
    ...localeProblems(file, [...languages, 'conversation', 'fixed']),
    ...localeProblems(file, [...languages, 'paired', 'fixed']),
    ...repeated(
      file,
      characters,
      'characterId',
      'characters of one experience need different ids; change one',
    ),
    ...characters.flatMap((character) => recipeProblems(file, [...character, 'avatar', 'recipe'])),
    ...transportProblems(file, [...runtime, 'transport']),
    ...mindProblems(file, [...runtime, 'mind'], valueAt(file.value, [...runtime, 'mind'])),
  ];
}

function originProblems(file: DataToCheck, list: Path): ProjectFileProblem[] {
  return itemsOf(file.value, list).flatMap((path) => {
    const text = textAt(file.value, path);
    if (text === undefined) return [];
    const result = normaliseEntry(text);
    if (!('problem' in result)) return [];
    return file.problem(
      path,
      result.problem.startsWith('"') ? result.problem : `is refused: ${result.problem}`,
    );
  });
}

/** YAML reads an empty value as null, which would remove a limit by accident. */
function limitProblems(file: DataToCheck, path: Path): ProjectFileProblem[] {
  if (valueAt(file.value, path) !== null || file.written(path)) return [];
  return file.problem(path, 'is empty; write a whole number, or null for no limit');
}

function assetProblems(file: DataToCheck, path: Path, pattern: string): ProjectFileProblem[] {
  const text = textAt(file.value, path);
  // The schema check reports a path that does not match before decoding.
  if (text === undefined || !new RegExp(pattern, 'u').test(text)) return [];
  const problem = problemInDecodedPath(text, pattern);
  return problem === undefined ? [] : file.problem(path, problem);
}

function localeProblems(file: DataToCheck, path: Path): ProjectFileProblem[] {
  const tag = textAt(file.value, path);
  const isValid = tag === undefined || canonicalLocale(tag) !== undefined;
  return isValid ? [] : file.problem(path, explainLanguageTag(tag));
}

/** The choices of a face belong to the editor that wrote them, so only their size is checked. */
function recipeProblems(file: DataToCheck, path: Path): ProjectFileProblem[] {
  const recipe = valueAt(file.value, path);
  if (recipe === undefined || JSON.stringify(recipe).length <= maxRecipeLength) return [];
  return file.problem(path, `is longer than ${maxRecipeLength} characters as JSON`);
}

function transportProblems(file: DataToCheck, path: Path): ProjectFileProblem[] {
  const written = valueAt(file.value, path) as Record<string, unknown> | undefined;
  const found = transportType(written?.type)?.problems(written ?? {}) ?? [];
  return found.flatMap(({ field, message }) => file.problem([...path, field], message));
}

/** Items whose field has the same value as an earlier item. */
function repeated(
  file: DataToCheck,
  items: readonly Path[],
  field: string,
  rule: string,
): ProjectFileProblem[] {
  const first = new Map<string, Path>();
  return items.flatMap((item) => {
    const value = textAt(file.value, [...item, field]);
    if (value === undefined) return [];
    const earlier = first.get(value);
    if (earlier === undefined) {
      first.set(value, item);
      return [];
    }
    const line = file.line([...earlier, field]);
    const where = `${pathText(earlier)}${line === undefined ? '' : ` (line ${line})`}`;
    return file.problem([...item, field], `${quoted(value)} is already used by ${where}; ${rule}`);
  });
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string | number, unknown>)[segment];
  }
  return value;
}

function textAt(root: unknown, path: Path): string | undefined {
  const value = valueAt(root, path);
  return typeof value === 'string' ? value : undefined;
}

function itemsOf(root: unknown, list: Path): Path[] {
  const value = valueAt(root, list);
  return Array.isArray(value) ? value.map((_, index) => [...list, index]) : [];
}
