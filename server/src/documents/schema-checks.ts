import { projectFileSchema } from '@session-launch/contract/project-file/schema';
import { Ajv2020, type DefinedError, type ValidateFunction } from 'ajv/dist/2020.js';
import { stringify } from 'yaml';
import { nearest } from './did-you-mean.ts';
import type { DataToCheck } from './file-data.ts';
import { explainPattern } from './pattern-messages.ts';
import { isObject, maxProblems, type Path, type ProjectFileProblem, pathText, quoted } from './problem.ts';
import { explainType } from './type-message.ts';

/** The parts of a JSON Schema that messages use. */
interface SchemaPart {
  type?: unknown;
  description?: string;
  additionalProperties?: unknown;
  properties?: Record<string, SchemaPart>;
  examples?: unknown[];
}

let compiled: ValidateFunction | undefined;
let compiledQuick: ValidateFunction | undefined;

/** Whether a value matches the schema. Stops at the first error, so an invalid value takes no longer than a valid one. */
export function matchesSchema(value: unknown): boolean {
  compiledQuick ??= new Ajv2020({ allowUnionTypes: true, validateSchema: false }).compile(projectFileSchema);
  return compiledQuick(value);
}

/** Problems that JSON Schema finds: unknown or missing fields, values of the wrong type or format. */
export function schemaProblems(file: DataToCheck): ProjectFileProblem[] {
  // Compiled on first use, which takes tens of milliseconds.
  compiled ??= new Ajv2020({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    validateSchema: false,
  }).compile(projectFileSchema);
  if (compiled(file.value)) return [];
  const errors = (compiled.errors as DefinedError[]).filter(isUseful).slice(0, maxProblems);
  // The errors reference the whole file, and the validator is kept.
  compiled.errors = null;

  // A misspelt field is reported once, not also as a missing field.
  const meant = new Set<string>();
  for (const error of errors) {
    const field = error.keyword === 'additionalProperties' ? meantField(error) : undefined;
    if (field !== undefined) meant.add(`${error.instancePath}/${field}`);
  }
  return errors.flatMap((error) => {
    const path = pathOf(error.instancePath, file.value);
    switch (error.keyword) {
      case 'additionalProperties': {
        const field = error.params.additionalProperty;
        const problems = file.problem([...path, field], explainUnknown(error), 'name');
        return problems.map((problem) => ({ ...problem, path: pathText(path) }));
      }
      case 'required': {
        const field = error.params.missingProperty;
        return meant.has(`${error.instancePath}/${field}`) ? [] : file.problem(path, explainMissing(error));
      }
      default:
        return file.problem(path, explain(error, path, file));
    }
  });
}

/**
 * Drops redundant errors. An axis is `match` or an object (`anyOf`), and ajv reports both branches: keep the errors of the
 * object branch if the value is an object, otherwise the `anyOf` error itself.
 */
function isUseful(error: DefinedError): boolean {
  if (error.keyword === 'anyOf') return !isObject(error.data);
  if (error.schemaPath.endsWith('/anyOf/1/type')) return false;
  if (error.schemaPath.includes('/anyOf/0/')) return false;
  // An empty text gets the `minLength` error only.
  return !(error.keyword === 'pattern' && error.data === '' && 'minLength' in (error.parentSchema ?? {}));
}

function explain(error: DefinedError, path: Path, file: DataToCheck): string {
  const { data } = error;
  const part = error.parentSchema as SchemaPart;
  switch (error.keyword) {
    case 'type':
      return explainType(error.params.type as string | string[], data, {
        written: file.written(path),
        fields: part.additionalProperties === true ? [] : fieldsOf(part),
        example: exampleOf(part),
      });
    case 'enum': {
      const allowed = error.params.allowedValues as string[];
      const meant = typeof data === 'string' ? nearest(data, allowed) : undefined;
      const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
      const choice = allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(', ')}`;
      return `${subject(data)} ${choice}${hint}`;
    }
    case 'anyOf':
      return `${subject(data)} must be match or { fixed: TAG }, such as { fixed: pt-PT }`;
    case 'pattern':
      return explainPattern(error.params.pattern, data as string);
    case 'minLength':
      return `is empty; write at least one character, for example ${exampleOf(part)}`;
    case 'maxLength':
      return `has ${[...(data as string)].length} characters; shorten it to at most ${error.params.limit}`;
    case 'minItems':
      return `is an empty list; add at least one, for example ${exampleOf(part)}`;
    case 'maxItems':
      return `has ${(data as unknown[]).length} items; keep at most ${error.params.limit}`;
    case 'minProperties':
      return `is empty; write at least one, for example ${exampleOf(part)}`;
    case 'maxProperties':
      return `has ${Object.keys(data as object).length} fields; keep at most ${error.params.limit}`;
    case 'minimum':
      return `is ${data}; it must be at least ${error.params.limit}${factorOf(part)}`;
    case 'maximum':
      return `is ${data}; it must be at most ${error.params.limit}${factorOf(part)}`;
    default:
      return error.message ?? 'is not valid';
  }
}

/** Numbers that are not integers are factors; their description explains them. */
function factorOf({ type, description }: SchemaPart): string {
  return type === 'number' && description !== undefined ? `. ${description}` : '';
}

function explainMissing(error: DefinedError & { keyword: 'required' }): string {
  const field = error.params.missingProperty;
  const example = exampleOf((error.parentSchema as SchemaPart).properties?.[field]);
  return `needs the field "${field}"; add for example ${field}: ${example}`;
}

type UnknownField = DefinedError & { keyword: 'additionalProperties' };

function explainUnknown(error: UnknownField): string {
  const part = error.parentSchema as SchemaPart;
  const field = error.params.additionalProperty;
  const unknown = `has an unknown field ${quoted(field)}`;
  const known = fieldsOf(part);
  const meant = meantField(error) ?? fieldBelow(part.properties ?? {}, field);
  if (meant !== undefined) return `${unknown}; did you mean "${meant}"?`;
  const present = nearest(field, known);
  if (present !== undefined) return `${unknown}; remove it, since "${present}" is there already`;
  return `${unknown}; remove it, since the allowed fields are ${known.join(', ')}`;
}

/** The known field that an unknown one resembles, among those that are missing. */
function meantField(error: UnknownField): string | undefined {
  const present = error.data as Record<string, unknown>;
  const known = fieldsOf(error.parentSchema as SchemaPart);
  const absent = known.filter((field) => !Object.hasOwn(present, field));
  return nearest(error.params.additionalProperty, absent);
}

/** The fields that messages list; `$schema` is for editors. */
function fieldsOf(part: SchemaPart): string[] {
  return Object.keys(part.properties ?? {}).filter((name) => !name.startsWith('$'));
}

/** The field of a nested object: `mode` on an experience belongs in its `runtime`. */
function fieldBelow(properties: Record<string, SchemaPart>, field: string): string | undefined {
  const parent = Object.keys(properties).find((name) =>
    Object.hasOwn(properties[name]?.properties ?? {}, field),
  );
  return parent === undefined ? undefined : `${parent}.${field}`;
}

function subject(data: unknown): string {
  return typeof data === 'string' ? quoted(data) : `is ${shown(data)} but`;
}

function exampleOf(part: SchemaPart | undefined): string {
  return shown(part?.examples?.[0] ?? '…');
}

function shown(value: unknown): string {
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Converts a JSON pointer to a path. Only the data shows whether `0` is an index or a field name. */
function pathOf(pointer: string, root: unknown): Path {
  const path: (string | number)[] = [];
  let value = root;
  for (const escaped of pointer.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(name) : name);
    value = (value as Record<string, unknown>)[name];
  }
  return path;
}
