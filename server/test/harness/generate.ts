import { contract } from '@session-launch/testing/contract.ts';
import fc from 'fast-check';
import { effort } from './effort.ts';
import { pageUrl, unicodeText } from './texts.ts';

// biome-ignore lint/suspicious/noExplicitAny: schemas of the JSON document
type Schema = any;

const formats: Record<string, fc.Arbitrary<string>> = {
  bcp47: fc.constantFrom('en', 'en-US', 'pt-BR', 'zh-Hant-TW', 'ES-mx', 'iw', 'sr-Latn-RS', 'de-CH-1996'),
  'return-url': pageUrl(),
  'date-time': fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
};

/** Generates values that a schema of the contract allows. */
export function generated(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return generated(resolved(schema.$ref));
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(generated));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
    case 'array':
      return fc.array(generated(schema.items), { maxLength: Math.min(schema.maxItems ?? 3, 3) });
    case 'null':
      return fc.constant(null);
    case 'object':
      return objectOf(schema);
    default:
      return text(schema);
  }
}

function text(schema: Schema): fc.Arbitrary<string> {
  const known = formats[schema.format];
  if (known !== undefined) return known;
  if (schema.pattern?.includes('(?')) return fc.constantFrom(...(schema.examples ?? ['a']));
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern)).filter(fits(schema));
  return fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 64, 64) });
}

function fits(schema: Schema): (value: string) => boolean {
  return (value) => value.length >= (schema.minLength ?? 0) && value.length <= (schema.maxLength ?? 4096);
}

function objectOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, generated(field)]);
  const own = fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
  if (schema.additionalProperties !== true) return own;
  const more = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 });
  return fc.tuple(more, own).map(([extra, known]) => ({ ...extra, ...known }));
}

function resolved(reference: string): Schema {
  return reference
    .slice(2)
    .split('/')
    .reduce((node: Schema, part) => node[part], contract);
}

const wrong = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1.5, '', ' ', [], {}, 'x'.repeat(3000), 'und', 'en_US', '\0', '\ud800'),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Generates the value with one field replaced, removed or added. */
export function mutated(value: object): fc.Arbitrary<unknown> {
  const names = [...Object.keys(value), 'learningLocale', 'integration', 'userId', '__proto__'];
  return fc.tuple(fc.constantFrom(...names), wrong, fc.boolean()).map(([name, other, drop]) => {
    const entries = Object.entries(value).filter(([field]) => field !== name);
    return Object.fromEntries(drop ? entries : [...entries, [name, other]]);
  });
}

/** Generates a copy of a JSON value in which one part, at any depth, is replaced or removed, or in which a field is added. */
export function altered(value: unknown, wrong: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const places = placesIn(value);
  return fc
    .tuple(fc.constantFrom(...places), wrong, fc.constantFrom('replace', 'remove', 'add'))
    .map(([place, other, how]) => {
      if (place.length === 0) return how === 'add' && isRecord(value) ? { ...value, other } : other;
      const copy = structuredClone(value) as Record<string, unknown>;
      const name = place.at(-1)!;
      const parent = place.slice(0, -1).reduce<Record<string, unknown>>((at, key) => at[key] as never, copy);
      if (how === 'replace') parent[name] = other;
      else if (how === 'add') parent[Array.isArray(parent) ? parent.length : 'other'] = other;
      else if (Array.isArray(parent)) parent.splice(Number(name), 1);
      else delete parent[name];
      return copy;
    });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The paths of all parts of a JSON value; that of the value itself is empty. */
function placesIn(value: unknown): string[][] {
  if (!isRecord(value)) return [[]];
  const inner = Object.entries(value).flatMap(([name, part]) =>
    placesIn(part).map((place) => [name, ...place]),
  );
  return [[], ...inner];
}

/** Removes characters that are not allowed in a header value. */
export function headerValue(value: string): string {
  return value.replace(/[^\x20-\x7e\xa0-\xff]/g, '').trim();
}

/** Strings that commonly break programs: line breaks, terminal escapes, quotes, SQL, paths, prototype properties. */
const evil = [
  ...[
    '',
    ' ',
    '\0',
    '\r\n',
    '\n{"level":"fatal","msg":"forged"}',
    '\x1b[2J\x1b[31m',
    '\u009b31m',
    '\u2028',
    '\u202e',
  ],
  ...[
    '"',
    "'",
    '\\',
    '","level":"fatal',
    "' OR 1=1 --",
    '$1',
    '%00',
    '%0d%0a',
    '%',
    '%zz',
    '../../etc/passwd',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    'true',
  ],
  ...[
    '<script>',
    '{{7*7}}',
    '\ud800',
    '\udfff',
    '\ufeff',
    'İ',
    'ß',
    '𝕏',
    '٣',
    'a'.repeat(300),
    '-'.repeat(80),
  ],
];

/** Arbitrary text, alone or embedded in other text. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...evil),
  unicodeText({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .tuple(fc.string({ maxLength: 12 }), fc.constantFrom(...evil), fc.string({ maxLength: 12 }))
    .map((parts) => parts.join('')),
);

/** Strings built from the tokens of a grammar, so that many of them are almost valid. */
export function almost(...pieces: string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: hostileText },
  );
  return fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
}

const names = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'then',
    'length',
    'experienceId',
  ),
  fc.string({ maxLength: 8 }),
  hostileText,
);

/** JSON values with property names that are special in JavaScript, all as own properties, as JSON.parse creates them. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, '', { polluted: true }),
    hostileText,
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(names, tie('value')), { maxLength: 4 })
      .map((entries) =>
        JSON.parse(
          `{${entries.map((pair) => pair.map((part) => JSON.stringify(part)).join(':')).join(',')}}`,
        ),
      ),
  ),
})).value;

/** Minimum number of generated cases per run. */
export const casesWanted = { parsers: effort(4_000, 20_000), requests: effort(900, 4_500) };

/** Runs properties and counts the cases that were executed. */
export class Tally {
  cases = 0;

  /** `runs` is the number of cases in the long tests; the short tests run a fifth of it. `check` may be asynchronous. */
  async holds<T>(runs: number, input: fc.Arbitrary<T>, check: (value: T) => unknown): Promise<void> {
    await fc.assert(
      fc.asyncProperty(input, async (value) => {
        await check(value);
        this.cases++;
      }),
      { numRuns: effort(Math.ceil(runs / 5), runs) },
    );
  }
}
