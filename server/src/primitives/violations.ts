import type { Violation } from '@session-launch/contract/errors';
import type { ErrorObject } from 'ajv';
import { maxViolations } from './errors.ts';

/** Maximum characters of a path in a response. Field names come from the caller and may be as long as the body. */
const maxPath = 200;

/**
 * Converts Ajv's errors to violations with a path and a message, without duplicates. Returns up to one more than a response lists, so that
 * the caller sees that there are more.
 */
export function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  const found = new Map<string, Violation>();
  for (const error of errors) {
    if (found.size > maxViolations) break;
    const { path, message } = describe(error);
    const violation = { path: path.length > maxPath ? `${path.slice(0, maxPath)}…` : path, message };
    const key = `${path} ${message}`;
    if (!found.has(key)) found.set(key, violation);
  }
  return [...found.values()];
}

/** `/integration/returnUrl` → `integration.returnUrl`, `/experiences/2/slug` → `experiences[2].slug`. */
function dottedPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
      '',
    );
}

function describe(error: ErrorObject): Violation {
  const path = dottedPath(error.instancePath);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { path: join(path, String(params.missingProperty)), message: 'is required' };
    case 'additionalProperties':
      return { path: join(path, String(params.additionalProperty)), message: 'is not a known field' };
    case 'type':
      return { path, message: `must be ${article(String(params.type))}` };
    case 'enum':
      return { path, message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}` };
    case 'const':
      return { path, message: `must be ${String(params.allowedValue)}` };
    case 'minLength':
      return {
        path,
        message:
          Number(params.limit) === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`,
      };
    case 'maxLength':
      return { path, message: `must have at most ${params.limit} characters` };
    case 'maxItems':
      return { path, message: `must have at most ${params.limit} items` };
    default:
      return { path, message: described(error) ?? error.message ?? 'is not valid' };
  }
}

/** The schema's own message for its pattern or format: the keyword `errorMessage`. */
function described(error: ErrorObject): string | undefined {
  const text = (error.parentSchema as { errorMessage?: unknown } | undefined)?.errorMessage;
  return typeof text === 'string' ? text : undefined;
}

function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

function article(type: string): string {
  const first = type.split(',')[0] ?? type;
  return /^[aeio]/.test(first) ? `an ${first}` : `a ${first}`;
}
