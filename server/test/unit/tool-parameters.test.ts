import { expect, test } from 'vitest';
import { argumentProblem, schemaProblems } from '../../src/tools/parameters.ts';

const object = (more: object) => ({ type: 'object', ...more });
const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : object({ properties: { a: nested(levels - 1) } });

test.each([
  ['without fields', object({})],
  [
    'with every supported kind of keyword',
    object({
      title: 'Booking',
      description: 'A booking.',
      properties: {
        people: { type: 'integer', minimum: 1, maximum: 12, multipleOf: 1 },
        when: { type: 'string', format: 'date-time', minLength: 1, maxLength: 30 },
        where: { enum: ['inside', 'outside'], default: 'inside' },
        wishes: { type: 'array', items: { anyOf: [{ type: 'string' }, { const: 7 }] }, maxItems: 3 },
        if: { type: ['string', 'null'] },
      },
      required: ['people'],
      additionalProperties: false,
    }),
  ],
])('a schema %s has no problems', (_what, schema) => {
  expect(schemaProblems(schema)).toEqual([]);
});

test.each([
  ['is no object', [], 'must be a JSON Schema of the type object'],
  ['has another type', { type: 'array' }, 'must be object'],
  ['has no type', { properties: {} }, 'must be object'],
  [
    'has a regular expression',
    object({ properties: { a: { type: 'string', pattern: '(a+)+$' } } }),
    'regular',
  ],
  ['has regular expressions as names', object({ patternProperties: { '(a+)+$': {} } }), 'is not supported'],
  [
    'has a remote reference',
    object({ properties: { a: { $ref: 'https://example.com/a.json' } } }),
    'in its place',
  ],
  ['has a reference to itself', object({ properties: { a: { $ref: '#' } } }), 'in its place'],
  ['has a dynamic reference', object({ $dynamicRef: '#a' }), 'is not supported'],
  ['has another dialect', object({ $schema: 'http://json-schema.org/draft-07/schema#' }), 'is not supported'],
  ['compares items', object({ properties: { a: { type: 'array', uniqueItems: true } } }), 'is not supported'],
  ['has a keyword of objects', object({ constructor: {} }), 'is not supported'],
  ['has a wrong keyword', object({ properties: { a: { minimum: 'one' } } }), 'is not valid JSON Schema'],
  ['has an unknown type', object({ properties: { a: { type: 'strng' } } }), 'is not valid JSON Schema'],
  ['has a list of names', object({ properties: [] }), 'must be an object'],
  ['has a schema that is a text', object({ properties: { a: 'string' } }), 'must be a JSON Schema'],
  ['has a list that is none', object({ anyOf: {} }), 'must be a list'],
  ['is too deep', nested(9), 'levels deep'],
  ['is too large', object({ description: 'x'.repeat(9000) }), 'at most 8192'],
  [
    'has many alternatives, also in several places',
    object({
      properties: Object.fromEntries(
        ['a', 'b', 'c'].map((name) => [
          name,
          { anyOf: Array.from({ length: 11 }, (_, n) => ({ const: n })) },
        ]),
      ),
    }),
    'has 33 alternatives',
  ],
  ['changes prototypes', object({ properties: JSON.parse('{"__proto__":{"type":"string"}}') }), '__proto__'],
])('a schema that %s has a problem', (_what, schema, message) => {
  const [problem] = schemaProblems(schema);
  expect(problem?.message).toContain(message);
});

test('a problem names its place', () => {
  const schema = object({ properties: { a: { anyOf: [{}, { pattern: 'a' }] } } });
  expect(schemaProblems(schema)[0]!.path).toEqual(['properties', 'a', 'anyOf', 1, 'pattern']);
});

test('a tool without parameters takes none', () => {
  expect(argumentProblem(undefined, {})).toBeUndefined();
  expect(argumentProblem(undefined, { people: 2 })).toContain('people is not a known field');
});

test('arguments that match have no problem, and formats are not checked', () => {
  const schema = object({ properties: { when: { type: 'string', format: 'date-time' } } });
  expect(argumentProblem(schema, { when: 'tonight', more: 1 })).toBeUndefined();
});
