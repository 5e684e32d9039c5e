import type { ErrorCode } from '@session-launch/contract/errors';
import { errorTable } from '@session-launch/contract/errors';
import type { SessionManifest as ContractManifest } from '@session-launch/contract/manifest';
import type { Rig as ContractRig } from '@session-launch/contract/rig';
import { audioFrame, subprotocol } from '@session-launch/contract/runtime/protocol';
import { expect, expectTypeOf, test } from 'vitest';
import type { Rig } from '../src/renderers/rig.ts';
import type { ServiceCode, SessionManifest } from '../src/types.ts';

test('the SDK’s manifest type equals that of the contract', () => {
  expectTypeOf<ContractManifest>().toExtend<SessionManifest>();
  expectTypeOf<SessionManifest>().toExtend<ContractManifest>();
});

test('the SDK’s rig type equals that of the contract', () => {
  expectTypeOf<ContractRig>().toExtend<Rig>();
  expectTypeOf<Rig>().toExtend<ContractRig>();
});

/** Error codes that only the admin API returns. */
type OfOperators =
  | 'PROJECT_FILE_INVALID'
  | 'ADMIN_TOKEN_INVALID'
  | 'RUNTIME_TOKEN_INVALID'
  | 'PROJECT_NOT_FOUND'
  | 'KEY_NOT_FOUND';

test('the SDK’s error codes are those of the service', () => {
  expectTypeOf<ServiceCode>().toEqualTypeOf<Exclude<ErrorCode, OfOperators>>();
  expect(errorTable).toHaveProperty('CONCURRENCY_LIMIT');
});

test('audio frames have the format that the SDK reads and writes', () => {
  expect(subprotocol).toBe('session.v1');
  expect(audioFrame).toMatchObject({
    headerBytes: 8,
    kinds: { character: 1, user: 2 },
    flagsAt: 1,
    flags: { last: 1 },
    utteranceAt: 2,
    offsetAt: 4,
    milliseconds: 40,
    inputSampleRate: 16_000,
  });
});
