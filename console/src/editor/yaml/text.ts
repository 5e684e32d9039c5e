import { Document, isMap, isNode, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { yamlTexts } from '../../texts/editor/yaml.ts';
import type { Experience } from '../document/model.ts';
import type { Path } from '../document/path.ts';
import { isFields } from '../document/same.ts';
import { experienceSchema, type FieldSchema } from '../document/schema.ts';

/** Strings to write in double quotes: with invisible characters or line breaks, and the merge key of YAML 1.1. As the service does. */
const needsQuotes = /[\p{C}\p{Zl}\p{Zp}]|^<<$/u;

/** Writes a document as the service does. Reading the text returns the same document. */
export function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && needsQuotes.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
}

/** As an item of the list `experiences` of a project file. */
export function asItem(document: unknown): string {
  return toYaml([document]).replaceAll(/^(?=.)/gm, '  ');
}

/** A part of the text, as offsets. */
export interface Span {
  from: number;
  to: number;
}

export interface TextProblem extends Span {
  message: string;
}

export interface ReadYaml {
  /** `undefined` if the text cannot be read as an experience. */
  document: Experience | undefined;
  /** Why it cannot. */
  problems: TextProblem[];
  /** Where the value at a path is; the nearest value around it if there is none. */
  spanOf(path: Path): Span;
}

/** Reads text that a person is writing. */
export function readYaml(text: string): ReadYaml {
  const parsed = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    prettyErrors: false,
  });
  const spanOf = (path: Path) => findSpan(parsed, path);
  const fail = (problems: TextProblem[]) => ({ document: undefined, problems, spanOf });
  if (parsed.errors.length > 0)
    return fail(
      parsed.errors.map(({ message, pos: [from, to] }) => ({ from, to: Math.max(to, from + 1), message })),
    );
  const value: unknown = parsed.toJS();
  if (!isFields(value)) return fail([{ from: 0, to: text.length, message: yamlTexts.notAnExperience }]);
  const wrong = shapeProblems(value, experienceSchema, []);
  if (wrong.length > 0) return fail(wrong.map(({ path, message }) => ({ ...spanOf(path), message })));
  return { document: value as unknown as Experience, problems: [], spanOf };
}

function findSpan(document: Document.Parsed, path: Path): Span {
  let node: unknown = document.contents;
  let found: Span = { from: 0, to: 0 };
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : key) === String(step));
      if (pair === undefined) return found;
      found = spanOfNode(pair.key) ?? found;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      found = firstLine(node) ?? found;
    } else return found;
  }
  return isScalar(node) ? (spanOfNode(node) ?? found) : found;
}

function spanOfNode(node: unknown): Span | undefined {
  if (!isNode(node) || !node.range) return undefined;
  const [from, to] = node.range;
  return to > from ? { from, to } : undefined;
}

/** The beginning of an item: its first key, or the scalar itself. */
function firstLine(node: unknown): Span | undefined {
  return isMap(node) && node.items[0] !== undefined ? spanOfNode(node.items[0].key) : spanOfNode(node);
}

/**
 * Values whose kind differs from the schema's, such as a text instead of a list. The forms cannot show these; everything else is checked
 * by the service.
 */
function shapeProblems(value: unknown, schema: FieldSchema, path: Path): { path: Path; message: string }[] {
  const kinds = kindsOf(schema);
  if (kinds.size === 0 || value === undefined) return [];
  const kind = Array.isArray(value) ? 'array' : isFields(value) ? 'object' : 'text';
  if (!kinds.has(kind)) {
    const [wanted = 'text'] = kinds;
    return [{ path, message: yamlTexts.mustBe[wanted] }];
  }
  if (Array.isArray(value))
    return value.flatMap((item, n) => shapeProblems(item, schema.items ?? {}, [...path, n]));
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const { properties, additionalProperties } = schema;
    const more = typeof additionalProperties === 'object' ? additionalProperties : {};
    return shapeProblems(field, properties?.[name] ?? more, [...path, name]);
  });
}

type Kind = 'object' | 'array' | 'text';

function kindsOf({ type, anyOf }: FieldSchema): Set<Kind> {
  if (anyOf !== undefined) return new Set(anyOf.flatMap((one) => [...kindsOf(one)]));
  const types = type === undefined ? [] : [type].flat();
  return new Set(types.map((name) => (name === 'object' || name === 'array' ? name : 'text')));
}
