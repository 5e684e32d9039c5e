import { quoted } from './problem.ts';

interface Context {
  /** The source text of the scalar. */
  written: string | undefined;
  /** Fields that the object may have. */
  fields: readonly string[];
  example: string;
}

/** Explains a value of the wrong JSON type: what was found, and how to write the expected type. */
export function explainType(wanted: string | string[], got: unknown, context: Context): string {
  const type = Array.isArray(wanted) ? wanted[0] : wanted;
  const found = describe(got, context.written);
  if (type === 'string' && (typeof got === 'number' || typeof got === 'boolean')) {
    return `is ${found}; put it in quotes: ${quoted(context.written ?? String(got))}`;
  }
  if (type === 'boolean') return `is ${found}; write true or false${unquoted(got)}`;
  if (type === 'integer') {
    const orNull = Array.isArray(wanted) ? ', or null' : '';
    return `is ${found}; write a whole number${unquotedNumber(got)}${orNull}, for example ${context.example}`;
  }
  if (type === 'number')
    return `is ${found}; write a number${unquotedNumber(got)}, for example ${context.example}`;
  if (type === 'object') {
    const { fields, example } = context;
    return `is ${found}; write its fields${fields.length > 0 ? `: ${fields.join(', ')}` : `, for example ${example}`}`;
  }
  if (type === 'array') return `is ${found}; write a list, for example ${context.example}`;
  return `is ${found}; write text, for example ${context.example}`;
}

function describe(value: unknown, written: string | undefined): string {
  if (value === null) return written ? written : 'empty';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (typeof value === 'number') return `the number ${written ?? value}`;
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'a set of fields';
}

/** Suggests to omit the quotes only if the text is a number, not for a text such as "fast". */
function unquotedNumber(got: unknown): string {
  return Number.isNaN(Number(got)) ? '' : unquoted(got);
}

function unquoted(got: unknown): string {
  return typeof got === 'string' ? ' without quotes' : '';
}
