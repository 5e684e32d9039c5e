import type { Mind } from '@session-launch/contract/project-file/mind';
import { canonicalLocale } from '../locales/locale.ts';
import type { Located } from './located.ts';
import { type Path, type ProjectFileProblem, quoted } from './problem.ts';

type Texts = Record<string, string | string[]>;

/** The lists of a mind, and which fields of their items are texts by language. */
const lists = {
  topics: ['ask', 'words', 'tell'],
  lessons: ['say', 'gloss'],
  presentation: ['title', 'tell'],
} as const;
const ownTexts = ['greeting', 'fallback'] as const;

/** A copy in which every set of texts is replaced; the order of fields stays. */
export function mapTexts(mind: Mind, change: (texts: Texts) => Texts): Mind {
  const isText = (name: string, among: readonly string[]) => among.includes(name);
  return Object.fromEntries(
    Object.entries(mind).map(([name, value]) => {
      if (isText(name, ownTexts)) return [name, change(value as Texts)];
      if (!(name in lists)) return [name, value];
      const fields = lists[name as keyof typeof lists];
      const items = (value as Record<string, unknown>[]).map((item) =>
        Object.fromEntries(
          Object.entries(item).map(([field, inner]) => [
            field,
            isText(field, fields) ? change(inner as Texts) : inner,
          ]),
        ),
      );
      return [name, items];
    }),
  ) as Mind;
}

/** What a schema cannot see is wrong with a mind: languages, ids that repeat, topics that lead nowhere. */
export function mindProblems(file: Located, path: Path, mind: unknown): ProjectFileProblem[] {
  if (!isObject(mind)) return [];
  const problems = ownTexts.flatMap((name) => languageProblems(file, [...path, name], mind[name]));
  for (const [name, fields] of Object.entries(lists)) {
    const items = Array.isArray(mind[name]) ? (mind[name] as unknown[]) : [];
    const known = items.map((item) => (isObject(item) ? item.id : undefined));
    for (const [index, item] of items.entries()) {
      if (!isObject(item)) continue;
      const here = [...path, name, index];
      for (const field of fields) problems.push(...languageProblems(file, [...here, field], item[field]));
      if (known.indexOf(item.id) < index)
        problems.push(
          ...file.problem(
            [...here, 'id'],
            `${quoted(String(item.id))} stands twice in this list; change one`,
          ),
        );
      const next = Array.isArray(item.then) ? item.then : [];
      for (const [place, id] of next.entries()) {
        if (typeof id !== 'string' || known.includes(id)) continue;
        problems.push(
          ...file.problem(
            [...here, 'then', place],
            `${quoted(id)} is no topic of this mind; write one of ${known.filter((one) => typeof one === 'string').join(', ')}`,
          ),
        );
      }
    }
  }
  return problems;
}

function languageProblems(file: Located, path: Path, texts: unknown): ProjectFileProblem[] {
  if (!isObject(texts)) return [];
  const seen = new Map<string, string>();
  return Object.keys(texts).flatMap((tag) => {
    const canonical = canonicalLocale(tag);
    if (canonical === undefined) {
      const repaired = canonicalLocale(tag.trim().replaceAll('_', '-'));
      const fix = repaired === undefined ? 'write one such as en or pt-PT' : `try "${repaired}"`;
      return file.problem([...path, tag], `${quoted(tag)} is not a BCP 47 language tag; ${fix}`, 'name');
    }
    const earlier = seen.get(canonical);
    seen.set(canonical, tag);
    return earlier === undefined
      ? []
      : file.problem(
          [...path, tag],
          `${quoted(tag)} is the same language as ${quoted(earlier)}; keep one`,
          'name',
        );
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
