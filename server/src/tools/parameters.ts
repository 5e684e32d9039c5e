import { toolBounds } from '@session-launch/contract/project-file/tools';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { violationsOf } from '../primitives/violations.ts';

export interface SchemaProblem {
  path: (string | number)[];
  message: string;
}

/** What a keyword contains: a plain value, a schema, a list of schemas, or schemas by name. */
type Content = 'value' | 'schema' | 'list' | 'map';

/**
 * The keywords of JSON Schema that parameters may use. Validation takes at most as many steps as the schema has keywords times the arguments
 * have values: there is no reference, so no recursion and no remote document, no regular expression, and no comparison of list items.
 * Alternatives are the slowest keywords, because each that does not match creates an error.
 */
const keywords: Record<string, Content> = {
  ...Object.fromEntries(
    [
      'type',
      'title',
      'description',
      'default',
      'examples',
      'enum',
      'const',
      'format',
      'required',
      'minLength',
      'maxLength',
      'minimum',
      'maximum',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'multipleOf',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
    ].map((name) => [name, 'value' as const]),
  ),
  properties: 'map',
  additionalProperties: 'schema',
  items: 'schema',
  anyOf: 'list',
  oneOf: 'list',
  allOf: 'list',
};

const hints: Record<string, string> = {
  pattern: 'a regular expression can take very long; use enum or format, or let the tool check the text',
  $ref: 'write the referenced schema in its place',
};

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/** What is wrong with the JSON Schema of a tool's parameters. Paths begin at the schema. */
export function schemaProblems(schema: unknown): SchemaProblem[] {
  if (!isObject(schema)) return [{ path: [], message: 'must be a JSON Schema of the type object' }];
  const { schemaBytes, schemaLevels, schemaAlternatives } = toolBounds;
  if (levelsOf(schema, schemaLevels) > schemaLevels)
    return [{ path: [], message: `is nested more than ${schemaLevels} levels deep; flatten it` }];
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > schemaBytes)
    return [{ path: [], message: `has ${bytes} bytes as JSON; shorten it to at most ${schemaBytes}` }];
  if (schema.type !== 'object')
    return [{ path: ['type'], message: 'must be object: a tool takes its arguments by name' }];
  const unknown = keywordProblems(schema, []);
  if (unknown.length > 0) return unknown;
  const alternatives = alternativesIn(schema);
  if (alternatives > schemaAlternatives)
    return [
      {
        path: [],
        message: `has ${alternatives} alternatives in anyOf, oneOf and allOf; keep at most ${schemaAlternatives}, or use enum`,
      },
    ];
  if (ajv.validateSchema(schema) === true) return [];
  const [error] = ajv.errors ?? [];
  const path = (error?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return [{ path, message: `is not valid JSON Schema: it ${error?.message ?? 'is wrong'}` }];
}

function keywordProblems(schema: unknown, path: (string | number)[]): SchemaProblem[] {
  if (typeof schema === 'boolean') return [];
  if (!isObject(schema)) return [{ path, message: 'must be a JSON Schema: an object' }];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const here = [...path, keyword];
    const content = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    if (content === undefined) return [{ path: here, message: explainUnknown(keyword) }];
    return content === 'value' ? [] : contentProblems(content, value, here);
  });
}

function contentProblems(
  content: Exclude<Content, 'value'>,
  value: unknown,
  path: (string | number)[],
): SchemaProblem[] {
  if (content === 'schema') return keywordProblems(value, path);
  if (content === 'map')
    return isObject(value) ? mapProblems(value, path) : [{ path, message: 'must be an object' }];
  return Array.isArray(value)
    ? value.flatMap((one, n) => keywordProblems(one, [...path, n]))
    : [{ path, message: 'must be a list of schemas' }];
}

function mapProblems(schemas: Record<string, unknown>, path: (string | number)[]): SchemaProblem[] {
  return Object.entries(schemas).flatMap(([name, schema]) =>
    name === '__proto__'
      ? [{ path, message: 'has a field named "__proto__"; choose another name' }]
      : keywordProblems(schema, [...path, name]),
  );
}

function explainUnknown(keyword: string): string {
  const hint = Object.hasOwn(hints, keyword)
    ? hints[keyword]
    : `remove it; the supported ones are ${Object.keys(keywords).join(', ')}`;
  return `is not supported in parameters; ${hint}`;
}

/** Members of all lists of alternatives. */
function alternativesIn(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0;
  return Object.entries(schema).reduce((sum, [keyword, value]) => {
    const own = keywords[keyword] === 'list' && Array.isArray(value) ? value.length : 0;
    return sum + own + alternativesIn(value);
  }, 0);
}

const validators = new LRUCache<string, ValidateFunction>({ max: 500 });
const noParameters = { type: 'object', properties: {}, additionalProperties: false };

/** What is wrong with the arguments of a call, in one sentence; `undefined` if they match. The schema has no problems. */
export function argumentProblem(
  parameters: Record<string, unknown> | undefined,
  values: Record<string, unknown>,
): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(values));
  if (bytes > toolBounds.argumentBytes)
    return `they have ${bytes} bytes as JSON, and at most ${toolBounds.argumentBytes} are allowed.`;
  const validate = validatorOf(parameters ?? noParameters);
  if (validate(values)) return undefined;
  const violations = violationsOf(validate.errors ?? []);
  // The errors reference the arguments; clear them, because the validator is kept.
  validate.errors = null;
  return `${violations.map(({ path, message }) => `${path || 'the whole'} ${message}`).join(', ')}.`;
}

function validatorOf(schema: object): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = validators.get(key);
  if (known !== undefined) return known;
  // A new instance for each schema, because Ajv keeps every schema that it has compiled.
  const own = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, logger: false });
  const compiled = own.compile(schema);
  validators.set(key, compiled);
  return compiled;
}

/** Levels of objects and arrays, counted up to one more than `most`. */
function levelsOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (most === 0) return 1;
  return 1 + Math.max(0, ...Object.values(value).map((one) => levelsOf(one, most - 1)));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
