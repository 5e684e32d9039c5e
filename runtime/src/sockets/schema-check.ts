import type { TSchema } from 'typebox';

/** The subset of JSON Schema that client messages use. */
interface Shape {
  type?: keyof typeof kinds;
  const?: unknown;
  enum?: readonly unknown[];
  required?: readonly string[];
  properties?: Record<string, Shape>;
  items?: Shape;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

const kinds = {
  object: {
    words: 'an object',
    is: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  },
  array: { words: 'a list', is: Array.isArray },
  string: { words: 'a text', is: (value: unknown) => typeof value === 'string' },
  boolean: { words: 'true or false', is: (value: unknown) => typeof value === 'boolean' },
  number: { words: 'a number', is: Number.isFinite },
  integer: { words: 'a whole number', is: Number.isInteger },
};

/**
 * Returns the first violation of a schema: the field and the expected value, never the actual one. `undefined` if the value is valid. A
 * complete validator would take longer to load than the rest of the runtime.
 */
export function schemaViolation(schema: TSchema, value: unknown): string | undefined {
  return compared(schema as Shape, value, '');
}

function compared(shape: Shape, value: unknown, path: string): string | undefined {
  const wanted = unmet(shape, value);
  if (wanted !== undefined) return `${path || 'the message'} must be ${wanted}`;
  const at = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
  const { items, properties = {}, required = [] } = shape;
  if (items !== undefined)
    return first((value as unknown[]).entries(), ([i, one]) => compared(items, one, at(i)));
  const fields = value as Record<string, unknown>;
  return first(Object.entries(properties), ([name, inner]) => {
    if (fields[name] !== undefined) return compared(inner, fields[name], at(name));
    return required.includes(name) ? `${at(name)} is missing` : undefined;
  });
}

/** The expectation that the value itself violates, without its properties and items. */
function unmet(shape: Shape, value: unknown): string | undefined {
  const { type, minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity } = shape;
  if (type !== undefined && !kinds[type].is(value)) return kinds[type].words;
  if (shape.const !== undefined && value !== shape.const) return JSON.stringify(shape.const);
  if (shape.enum?.includes(value) === false) return `one of ${shape.enum.join(', ')}`;
  if (typeof value === 'number' && (value < minimum || value > maximum))
    return `from ${minimum} to ${maximum}`;
  // A code point may take two UTF-16 code units.
  if (
    typeof value === 'string' &&
    (value.length < minLength || (value.length > maxLength && [...value].length > maxLength))
  )
    return `of ${minLength} to ${maxLength} characters`;
  if (Array.isArray(value) && value.length > (shape.maxItems ?? Infinity))
    return `of at most ${shape.maxItems} items`;
  return undefined;
}

function first<T>(all: Iterable<T>, find: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
