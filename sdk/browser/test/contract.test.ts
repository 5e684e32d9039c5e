import type { ErrorCode } from '@session-launch/contract/errors';
import { errorTable } from '@session-launch/contract/errors';
import type { SessionManifest as ContractManifest } from '@session-launch/contract/manifest';
import type { Rig as ContractRig } from '@session-launch/contract/rig';
import { audioFrame, closeCodes, subprotocol } from '@session-launch/contract/wire';
import { expect, expectTypeOf, test } from 'vitest';
import type { Rig } from '../src/contract.ts';
import type { ServiceCode, SessionManifest } from '../src/types.ts';
import * as wire from '../src/wire.ts';

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
  | 'KEY_NOT_FOUND'
  | 'LOGIN_FAILED'
  | 'ROLE_FORBIDDEN'
  | 'CROSS_ORIGIN_REFUSED'
  | 'LIVEKIT_SIGNATURE_INVALID'
  | 'REVISION_NOT_FOUND'
  | 'OPERATOR_NOT_FOUND'
  | 'LOGIN_NOT_FOUND'
  | 'ART_NOT_FOUND'
  | 'FACE_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'EVENT_NOT_FOUND'
  | 'TOOL_NOT_FOUND'
  | 'SLUG_TAKEN'
  | 'ART_IN_USE'
  | 'EXPERIENCE_IN_USE'
  | 'LAST_OWNER'
  | 'VERSION_CONFLICT'
  | 'HOST_NOT_KNOWN'
  | 'VERSION_REQUIRED'
  | 'TOO_MANY_LOGINS'
  | 'TOO_MANY_STREAMS';

test('the SDK’s error codes are those of the service', () => {
  expectTypeOf<ServiceCode>().toEqualTypeOf<Exclude<ErrorCode, OfOperators>>();
  expect(errorTable).toHaveProperty('CONCURRENCY_LIMIT');
});

test('audio frames have the format that the SDK reads and writes', () => {
  expect(wire.subprotocol).toBe(subprotocol);
  expect(closeCodes).toEqual({
    ended: wire.closeCodeEnded,
    draining: wire.closeCodeDraining,
    tooManyFragments: wire.closeCodeTooManyFragments,
    tooBig: wire.closeCodeTooBig,
    fault: wire.closeCodeFault,
    full: wire.closeCodeFull,
    notTheProtocol: wire.closeCodeNotTheProtocol,
    tokenInvalid: wire.closeCodeTokenInvalid,
    originDiffers: wire.closeCodeOriginDiffers,
    noHello: wire.closeCodeNoHello,
    tokenUsed: wire.closeCodeTokenUsed,
    sessionEnded: wire.closeCodeSessionEnded,
    tooFast: wire.closeCodeTooFast,
    tooManySessions: wire.closeCodeTooManySessions,
    idle: wire.closeCodeIdle,
    maxDuration: wire.closeCodeMaxDuration,
    endedByApi: wire.closeCodeEndedByApi,
  });
  expect(audioFrame).toEqual({
    headerBytes: wire.audioFrameHeaderBytes,
    kindAt: wire.audioFrameKindAt,
    kinds: { character: wire.audioFrameKindsCharacter, user: wire.audioFrameKindsUser },
    flagsAt: wire.audioFrameFlagsAt,
    flags: { last: wire.audioFrameFlagsLast, opus: wire.audioFrameFlagsOpus },
    utteranceAt: wire.audioFrameUtteranceAt,
    offsetAt: wire.audioFrameOffsetAt,
    milliseconds: wire.audioFrameMilliseconds,
    inputSampleRate: wire.audioFrameInputSampleRate,
  });
});
