import { Ajv2020 } from 'ajv/dist/2020.js';
import Type, { type Static, type TSchema } from 'typebox';
import { invalidRequest } from '../errors.ts';
import { violationsOf } from '../http/violations.ts';
import type { KeyMode } from '../keys/api-key.ts';
import { type Scope, scopes } from '../keys/store.ts';
import type { SessionFilter } from '../sessions/store.ts';

const ajv = new Ajv2020({ allErrors: true, verbose: true });
ajv.addKeyword({ keyword: 'errorMessage', schemaType: 'string' });
ajv.addFormat('instant', (text) => {
  const match = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text);
  const day = new Date(match?.[1] ?? '');
  // Date.parse turns February 30 into March 2.
  return !Number.isNaN(Date.parse(text)) && day.getUTCDate() === Number(match?.[1]?.slice(-2));
});

const keyWish = Type.Object(
  {
    mode: Type.Enum(['test', 'live']),
    scopes: Type.Array(Type.Enum([...scopes]), { minItems: 1 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    expiresAt: Type.Optional(
      Type.String({
        format: 'instant',
        errorMessage: 'must be an ISO 8601 time such as 2030-01-31T12:00:00Z',
      }),
    ),
  },
  { additionalProperties: false },
);

const sessionQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.String({ pattern: '^([1-9]\\d{0,2})$', errorMessage: 'must be a whole number from 1 to 500' }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: '^ses_[A-Za-z0-9_-]{1,64}$',
        errorMessage: 'must be the nextCursor of an earlier page',
      }),
    ),
    experienceId: Type.Optional(
      Type.String({ pattern: '^exp_[A-Za-z0-9_-]{1,64}$', errorMessage: 'must start with exp_' }),
    ),
    status: Type.Optional(Type.Enum(['created', 'ended'])),
    source: Type.Optional(Type.Enum(['server', 'browser', 'public'])),
    userId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  },
  { additionalProperties: false },
);

const readWish = reader(keyWish);
const readQuery = reader(sessionQuery);
const maxPage = 500;

export function readKeyWish(body: unknown): {
  mode: KeyMode;
  scopes: Scope[];
  name?: string;
  expiresAt?: Date;
} {
  const { expiresAt, ...wish } = readWish(body);
  if (expiresAt === undefined) return wish;
  const at = new Date(expiresAt);
  if (at <= new Date()) throw invalidRequest([{ path: 'expiresAt', message: 'must lie in the future' }]);
  return { ...wish, expiresAt: at };
}

export function readSessionQuery(query: unknown): SessionFilter & { limit: number; cursor?: string } {
  const { limit: asked, ...filter } = readQuery(query);
  const limit = Number(asked ?? 100);
  if (limit > maxPage)
    throw invalidRequest([{ path: 'limit', message: `must be a whole number from 1 to ${maxPage}` }]);
  if (filter.userId?.includes('\0'))
    throw invalidRequest([{ path: 'userId', message: 'must not contain the NUL character' }]);
  return { ...filter, limit };
}

function reader<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  const validate = ajv.compile<Static<T>>(schema);
  return (value) => {
    if (!validate(value)) throw invalidRequest(violationsOf(validate.errors ?? []));
    return value;
  };
}
