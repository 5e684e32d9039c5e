import fc from 'fast-check';
import type { Experience } from '../src/editor/document/model.ts';
import { experienceSchema, type FieldSchema } from '../src/editor/document/schema.ts';

/** Texts that YAML could mistake for something else, and any other text. */
const texts = fc.oneof(
  fc.constantFrom(
    'yes',
    'no',
    '~',
    'null',
    '1e3',
    '007',
    '- a',
    'a: b',
    '# no',
    '<<',
    ' x ',
    'a\nb\n',
    '|',
    '"',
    '\u2028',
    '\t',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
);

const names = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'on', '1', ''),
  fc.string({ maxLength: 6 }),
);

/** JSON values with any names, as JSON.parse makes them. */
const free = fc
  .array(fc.tuple(names, fc.jsonValue({ maxDepth: 2 })), { maxLength: 3 })
  .map((fields) => Object.fromEntries(fields));

function valuesOf(schema: FieldSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valuesOf));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  return fc.oneof(...[schema.type ?? 'object'].flat().map((type) => valuesOfType(schema, type)));
}

function valuesOfType(schema: FieldSchema, type: string): fc.Arbitrary<unknown> {
  switch (type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 100 });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 2, noNaN: true });
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case 'object':
      return fieldsOf(schema);
    default:
      return texts;
  }
}

function fieldsOf({
  properties = {},
  required = [],
  additionalProperties,
}: FieldSchema): fc.Arbitrary<object> {
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valuesOf(field)])),
    { requiredKeys: required },
  );
  const more =
    typeof additionalProperties === 'object'
      ? fc.dictionary(fc.constantFrom('en', 'de', 'pt-PT', 'no'), valuesOf(additionalProperties), {
          minKeys: 1,
        })
      : additionalProperties === true
        ? free
        : fc.constant({});
  return fc
    .tuple(more, known)
    .map(([extra, own]) => Object.fromEntries([...Object.entries(extra), ...Object.entries(own)]));
}

/** Experiences with any fields of the schema, and any further fields where the schema allows them. */
export const experiences = fieldsOf(experienceSchema) as fc.Arbitrary<unknown> as fc.Arbitrary<Experience>;
