import { readFileSync } from 'node:fs';
import type { CatalogEntry as ContractEntry } from '@session-launch/contract/catalog-entry';
import { entryOperation, listOperation } from '@session-launch/contract/catalog';
import { type ErrorCode, errorTable } from '@session-launch/contract/errors';
import type { SessionManifest as ContractManifest } from '@session-launch/contract/manifest';
import type { ServerMintRequest as ContractRequest } from '@session-launch/contract/mint-requests';
import { publicApi } from '@session-launch/contract/public-api';
import type { SessionRecord } from '@session-launch/contract/session';
import { endOperation, readOperation } from '@session-launch/contract/sessions';
import type { SessionClaims as ContractClaims } from '@session-launch/contract/verification';
import { describe, expect, test } from 'vitest';
import { errorClass } from '../src/errors.ts';
import type { CatalogEntry, ServerMintRequest, Session, SessionManifest } from '../src/index.ts';
import { mintFields } from '../src/relay/grant.ts';
import type { SessionClaims } from '../src/verify.ts';

/** Compiles only if each of two types can stand for the other. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const sameTypes: [
  Same<Session, SessionRecord>,
  Same<SessionManifest, ContractManifest>,
  Same<ServerMintRequest, ContractRequest>,
  Same<CatalogEntry, ContractEntry>,
  Same<SessionClaims, ContractClaims>,
] = [true, true, true, true, true];

test('the types of the package are those of the contract', () => {
  expect(sameTypes).not.toContain(false);
});

const mintOperation = publicApi.operations.find(({ operationId }) => operationId === 'mintSession')!;
const operations = [mintOperation, readOperation, endOperation, listOperation, entryOperation];
const codes = [...new Set(operations.flatMap(({ errors }) => errors))].sort() as ErrorCode[];

test('what a page may wish for are fields of a mint', () => {
  const schema = publicApi.schemas.find((one) => (one as { $id?: string }).$id === 'ServerMintRequest') as unknown as {
    properties: Record<string, unknown>;
  };
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([...mintFields]));
});

describe('every code of the contract has the class of its status', () => {
  const classes: Record<number, string> = {
    400: 'InvalidRequestError',
    401: 'AuthenticationError',
    403: 'PermissionError',
    404: 'NotFoundError',
    409: 'IdempotencyError',
    413: 'InvalidRequestError',
    415: 'InvalidRequestError',
    429: 'RateLimitError',
    500: 'ServiceError',
    503: 'ServiceError',
  };

  test.each(Object.entries(errorTable))('%s', (_code, { status }) => {
    expect(errorClass(status).prototype.name).toBe(classes[status] ?? 'LaunchError');
  });
});

describe('the page about this package', () => {
  const page = readFileSync(new URL('../../../docs/sdk-backend.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| `(\w+)` \| (.+) \|$/gm)].map(([, code = '', name, advice]) => ({
    code,
    name,
    advice,
  }));
  const ofTheService = rows.filter(({ code }) => code in errorTable);

  test('lists every code that its calls can meet, with the right class and what to do', () => {
    expect(ofTheService.map(({ code }) => code).sort()).toEqual(codes);
    for (const { code, name, advice } of ofTheService) {
      expect(name, code).toBe(errorClass(errorTable[code as ErrorCode].status).prototype.name);
      expect(advice, code).toMatch(/\w/);
    }
  });

  test('lists the codes that come without the service', () => {
    const others = rows.filter(({ code }) => !(code in errorTable)).map(({ code }) => code);
    expect(others).toEqual(expect.arrayContaining(['NETWORK', 'TIMEOUT', 'ABORTED', 'INVALID_ANSWER']));
  });
});
