import type { Mind } from '@session-launch/contract/project-file/mind';
import { canonicalLocale } from '../primitives/locale.ts';
import type { DataToCheck } from './file-data.ts';
import { explainLanguageTag } from './pattern-messages.ts';
import { isObject, type Path, type ProjectFileProblem, quoted } from './problem.ts';
import { toolCallProblems, toolProblems, toolsOf } from './tools.ts';

type Texts = Record<string, string | string[]>;
type Fields = Record<string, unknown>;

/** The fields with texts by language: of a mind, and of the items of its lists. */
const ownTexts = ['greeting', 'fallback'];
const lists: Record<string, readonly string[]> = {
  topics: ['ask', 'words', 'tell'],
  lessons: ['say', 'gloss'],
  presentation: ['title', 'tell'],
};

/** Converts language tags to canonical form, and every text to a list of variants. */
export function normaliseMind(written: Mind): Mind {
  const fields = Object.entries(written).map(([name, value]) => {
    const texts = lists[name];
    return [name, texts ? (value as Fields[]).map((item) => withTexts(item, texts)) : value];
  });
  return withTexts(Object.fromEntries(fields), ownTexts) as Mind;
}

function withTexts(fields: Fields, among: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      among.includes(name) ? normaliseTexts(value as Texts) : value,
    ]),
  );
}

function normaliseTexts(texts: Texts): Texts {
  return Object.fromEntries(
    Object.entries(texts).map(([tag, text]) => [canonicalLocale(tag) ?? tag, [text].flat()]),
  );
}

/** Problems that JSON Schema cannot find: invalid languages, duplicate ids, unknown follow-up topics, problems with tools. */
export function mindProblems(file: DataToCheck, path: Path, mind: unknown): ProjectFileProblem[] {
  if (!isObject(mind)) return [];
  return [
    ...ownTexts.flatMap((name) => languageProblems(file, [...path, name], mind[name])),
    ...Object.entries(lists).flatMap(([name, texts]) =>
      listProblems(file, [...path, name], mind[name], texts),
    ),
    ...toolProblems(file, [...path, 'tools'], mind.tools),
    ...calledToolProblems(file, [...path, 'topics'], mind),
  ];
}

function listProblems(
  file: DataToCheck,
  path: Path,
  list: unknown,
  texts: readonly string[],
): ProjectFileProblem[] {
  const items: unknown[] = Array.isArray(list) ? list : [];
  const ids = new Set(
    items.flatMap((item) => (isObject(item) && typeof item.id === 'string' ? item.id : [])),
  );
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    if (!isObject(item)) return [];
    const here = [...path, index];
    const isRepeated = typeof item.id === 'string' && seen.has(item.id);
    seen.add(item.id);
    return [
      ...texts.flatMap((field) => languageProblems(file, [...here, field], item[field])),
      ...(isRepeated
        ? file.problem(
            [...here, 'id'],
            `${quoted(String(item.id))} is used twice in this list; ids must be unique, change one`,
          )
        : []),
      ...followUpProblems(file, [...here, 'then'], item.then, ids),
    ];
  });
}

function calledToolProblems(file: DataToCheck, path: Path, mind: Fields): ProjectFileProblem[] {
  const topics: unknown[] = Array.isArray(mind.topics) ? mind.topics : [];
  const tools = toolsOf(mind);
  return topics.flatMap((topic, index) =>
    isObject(topic) && isObject(topic.then)
      ? toolCallProblems(file, [...path, index, 'then'], topic.then, tools)
      : [],
  );
}

function followUpProblems(
  file: DataToCheck,
  path: Path,
  then: unknown,
  topics: ReadonlySet<string>,
): ProjectFileProblem[] {
  const next: unknown[] = Array.isArray(then) ? then : [];
  return next.flatMap((id, index) => {
    if (typeof id !== 'string' || topics.has(id)) return [];
    const known = [...topics].slice(0, 10).join(', ');
    return file.problem([...path, index], `${quoted(id)} is not a topic of this mind; write one of ${known}`);
  });
}

function languageProblems(file: DataToCheck, path: Path, texts: unknown): ProjectFileProblem[] {
  if (!isObject(texts)) return [];
  const seen = new Map<string, string>();
  return Object.keys(texts).flatMap((tag) => {
    const canonical = canonicalLocale(tag);
    if (canonical === undefined) return file.problem([...path, tag], explainLanguageTag(tag), 'name');
    const earlier = seen.get(canonical);
    seen.set(canonical, tag);
    if (earlier === undefined) return [];
    const message = `${quoted(tag)} is the same language as ${quoted(earlier)}; keep one`;
    return file.problem([...path, tag], message, 'name');
  });
}
