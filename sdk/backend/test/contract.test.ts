import { readFileSync } from 'node:fs';
import { entryOperation, listOperation } from '@session-launch/contract/catalog';
import { type ErrorCode, errorTable } from '@session-launch/contract/errors';
import { serverMintRequestSchema } from '@session-launch/contract/mint-requests';
import { mintOperations } from '@session-launch/contract/minting';
import { endOperation, readOperation } from '@session-launch/contract/sessions';
import { describe, expect, test } from 'vitest';
import { errorClass } from '../src/refusal.ts';
import { mintFields } from '../src/relay/grant.ts';

const operations = [mintOperations.server, readOperation, endOperation, listOperation, entryOperation];
const codes = [...new Set(operations.flatMap(({ errors }) => errors))].sort() as ErrorCode[];

test('the fields a page may request are fields of a mint', () => {
  expect(Object.keys(serverMintRequestSchema.properties)).toEqual(expect.arrayContaining([...mintFields]));
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
    501: 'ServiceError',
    503: 'ServiceError',
  };

  test.each(Object.entries(errorTable))('%s', (_code, { status }) => {
    expect(errorClass(status).prototype.name).toBe(classes[status] ?? 'LaunchError');
  });
});

describe('the documentation page of this package', () => {
  const page = readFileSync(new URL('../../../docs/sdk-backend.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| `(\w+)` \| (.+) \|$/gm)].map(
    ([, code = '', name, advice]) => ({
      code,
      name,
      advice,
    }),
  );
  const ofTheService = rows.filter(({ code }) => code in errorTable);

  test('lists every code that its calls can throw, with the right class and advice', () => {
    expect(ofTheService.map(({ code }) => code).sort()).toEqual(codes);
    for (const { code, name, advice } of ofTheService) {
      expect(name, code).toBe(errorClass(errorTable[code as ErrorCode].status).prototype.name);
      expect(advice, code).toMatch(/\w/);
    }
  });

  test('lists the codes that are raised without a response of the service', () => {
    const others = rows.filter(({ code }) => !(code in errorTable)).map(({ code }) => code);
    expect(others).toEqual(expect.arrayContaining(['NETWORK', 'TIMEOUT', 'ABORTED', 'INVALID_ANSWER']));
  });
});
