import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { invalidRequest } from './errors.ts';
import { canonicalLocale } from './locale.ts';
import { violationsOf } from './violations.ts';

// Tests check that the schemas are valid. Checking again here would take a large part of the start.
const options = { strict: true, verbose: true, validateSchema: false };
const ajv = withKeywords(new Ajv2020({ ...options, allErrors: true }));
let ajvOfLarge: Ajv2020 | undefined;

function withKeywords(ajv: Ajv2020): Ajv2020 {
  ajv.addKeyword({ keyword: 'errorMessage', schemaType: 'string' });
  ajv.addKeyword({
    keyword: 'maxJson',
    type: 'object',
    schemaType: 'object',
    validate: isWithin,
    errors: false,
  });
  ajv.addFormat('bcp47', (value) => canonicalLocale(value) !== undefined);
  ajv.addFormat('return-url', isReturnUrl);
  ajv.addFormat('instant', isInstant);
  return ajv;
}

/** Returns a function that validates values against a schema of the contract. It throws 400 with the first violations and coerces nothing. */
export function reader<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  return readerBy(ajv.compile<Static<T>>(schema));
}

/** Like `reader`, for values of several MiB: stops at the first violation, because collecting all of them blocks for seconds. */
export function largeReader<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  ajvOfLarge ??= withKeywords(new Ajv2020(options));
  return readerBy(ajvOfLarge.compile<Static<T>>(schema));
}

function readerBy<T>(validate: ValidateFunction<T>): (value: unknown) => T {
  return (value) => {
    if (validate(value)) return value;
    const violations = violationsOf(validate.errors ?? []);
    // The errors reference the whole body; clear them, because the validator outlives the request.
    validate.errors = null;
    throw invalidRequest(violations);
  };
}

function isWithin(limits: { bytes: number; depth: number }, value: object): boolean {
  return hasAtMost(limits.depth, value) && Buffer.byteLength(JSON.stringify(value)) <= limits.bytes;
}

/** Whether a value has at most this many levels of objects and arrays. */
function hasAtMost(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const item of Object.values(value)) if (!hasAtMost(levels - 1, item)) return false;
  return true;
}

function isReturnUrl(value: string): boolean {
  // `URL` removes these characters before it parses the scheme; other programs may not.
  if (/^\s|\s$|\p{Cc}/u.test(value) || !URL.canParse(value)) return false;
  return !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].includes(new URL(value).protocol);
}

function isInstant(text: string): boolean {
  const match = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text);
  const day = new Date(match?.[1] ?? '');
  // Date.parse turns February 30 into March 2.
  return !Number.isNaN(Date.parse(text)) && day.getUTCDate() === Number(match?.[1]?.slice(-2));
}
