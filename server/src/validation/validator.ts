import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { canonicalLocale } from '../locales/locale.ts';
import { invalidRequest } from '../primitives/errors.ts';
import { violationsOf } from './violations.ts';

// Tests check that the schemas are valid. Checking again here would take a large part of the start.
const ajv = new Ajv2020({ allErrors: true, strict: true, verbose: true, validateSchema: false });
ajv.addKeyword({ keyword: 'errorMessage', schemaType: 'string' });
ajv.addFormat('bcp47', (value) => canonicalLocale(value) !== undefined);
ajv.addFormat('return-url', isReturnUrl);
ajv.addFormat('instant', isInstant);

/** Returns a function that validates values against a schema of the contract. It throws 400 with the first violations and coerces nothing. */
export function reader<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  const validate = ajv.compile<Static<T>>(schema);
  return (value) => {
    if (validate(value)) return value;
    const violations = violationsOf(validate.errors ?? []);
    // The errors reference the whole body; clear them, because the validator outlives the request.
    validate.errors = null;
    throw invalidRequest(violations);
  };
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
