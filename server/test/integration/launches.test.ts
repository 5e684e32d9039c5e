import { createHash, randomBytes } from 'node:crypto';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Directory, openDirectory } from '../../src/content/directory.ts';
import { Pace } from '../../src/limits/pace.ts';
import type { Draft } from '../../src/minting/draft.ts';
import { type Endpoint, endpoints } from '../../src/minting/endpoints.ts';
import { LaunchRecorder } from '../../src/minting/launch-recorder.ts';
import { ApiError } from '../../src/primitives/errors.ts';
import { newId } from '../../src/primitives/ids.ts';
import { MintRecorder } from '../../src/recording/mint-recorder.ts';
import { openChanges } from '../../src/store/changes.ts';
import type { Database } from '../../src/store/database.ts';
import { TokenSigner } from '../../src/tokens/signer.ts';
import { openSigningKeys } from '../../src/tokens/signing-keys.ts';
import { TransportAccess } from '../../src/transports/transport-access.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const [serverEndpoint, browserEndpoint] = endpoints as [Endpoint, Endpoint, Endpoint];
let world: World;
let directory: Directory;
let signer: TokenSigner;
/** Without LiveKit. */
const transports = new TransportAccess({ livekit: undefined });
let writes = 0;

beforeAll(async () => {
  world = await createWorld(service);
  directory = openDirectory(service.database, await openChanges(service.database), new Pace());
  const folder = await temporaryFolder();
  signer = new TokenSigner((await openSigningKeys(`${folder.path}/keys.json`)).keys);
  return async () => {
    await signer.close();
    await folder.remove();
  };
});
beforeEach(() => {
  writes = 0;
});

/** Launches of a separate process on the shared database. */
function launches(): LaunchRecorder {
  const counting: Database = {
    ...service.database,
    query: (lane, statement, values) => {
      if (lane === 'recording') writes++;
      return service.database.query(lane, statement, values);
    },
  };
  return new LaunchRecorder({ recorder: new MintRecorder(counting), directory, signer, transports });
}

async function draft(
  endpoint = serverEndpoint,
  more: { revision?: number; player?: object } = {},
): Promise<Draft> {
  const experience = (await directory.experience(world.experienceId))!;
  const at = new Date();
  return {
    endpoint,
    experience,
    at,
    session: () => ({
      id: newId('ses'),
      projectId: world.projectId,
      experienceId: world.experienceId,
      revision: more.revision ?? 1,
      livemode: true,
      source: endpoint.source,
      userId: null,
      given: {
        mode: 'conversation',
        speechInputMode: 'auto',
        speechOnly: false,
        locale: 'en',
        ...(more.player === undefined ? {} : { player: more.player }),
        token: { issuer: 'https://launch.example.com', issuedAt: 1, keyId: signer.keys.current.kid },
      },
      createdAt: at,
      expiresAt: new Date(at.getTime() + 600_000),
      startedAt: null,
      seconds: 0,
      endedAt: null,
      endReason: null,
    }),
  };
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const claim = (body = 'body') => ({ hash: hash(randomBytes(8).toString('hex')), fingerprint: hash(body) });

test('a recently retried launch is replayed without a write, with the same bytes', async () => {
  const used = launches();
  const under = claim();
  const first = await used.record(await draft(), under, []);
  expect(first.replayed).toBe(false);
  for (const _ of [1, 2, 3]) {
    const again = await used.record(await draft(), under, []);
    expect(again).toMatchObject({ replayed: true, body: first.body });
  }
  // One write for the launch, one for its first retry.
  expect(writes).toBe(2);
});

test('another process reads the launch from the database once, then from its cache', async () => {
  const under = claim();
  const first = await launches().record(await draft(), under, []);
  const other = launches();
  for (const _ of [1, 2]) expect((await other.record(await draft(), under, [])).body).toBe(first.body);
  expect(writes).toBe(2);
});

test('another body under the key of a cached launch conflicts without a write', async () => {
  const used = launches();
  const under = claim();
  for (const _ of ['launch', 'replay']) await used.record(await draft(), under, []);
  const otherBody = { ...under, fingerprint: hash('another body') };
  await expect(used.record(await draft(), otherBody, [])).rejects.toThrow(
    expect.objectContaining({ code: 'IDEMPOTENCY_CONFLICT' }),
  );
  expect(writes).toBe(2);
});

test('a mint with a quota queries the database each time, which returns the remaining quota', async () => {
  const used = launches();
  const under = claim();
  await used.record(await draft(browserEndpoint), under, []);
  expect((await used.record(await draft(browserEndpoint), under, [])).replayed).toBe(true);
  expect(writes).toBe(2);
});

test('a cached launch is read from the database again after a few seconds', async () => {
  const used = launches();
  const under = claim();
  for (const _ of ['launch', 'replay']) await used.record(await draft(), under, []);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 4_900);
  onTestFinished(() => clock.mockRestore());
  expect((await used.record(await draft(), under, [])).replayed).toBe(true);
  expect(writes).toBe(3);
});

test('a launch with large player settings is not cached', async () => {
  const used = launches();
  for (const [length, expected] of [
    [10, 2],
    [10_000, 3],
  ] as const) {
    writes = 0;
    const under = claim();
    const player = { startButton: { label: 'x'.repeat(length) } };
    await used.record(await draft(serverEndpoint, { player }), under, []);
    for (const _ of ['replay', 'replay']) await used.record(await draft(), under, []);
    expect(writes).toBe(expected);
  }
});

test('a launch that the database refused is not cached', async () => {
  const used = launches();
  const under = claim();
  await expect(used.record(await draft(serverEndpoint, { revision: 99 }), under, [])).rejects.toThrow();
  expect((await used.record(await draft(), under, [])).replayed).toBe(false);
});

test('a refused mint with a key returns the earlier launch of that key, if there is one', async () => {
  const used = launches();
  const under = claim();
  const refusal = new ApiError('EXPERIENCE_NOT_PUBLISHED');
  const refused = { ...(await draft()), session: () => refusal };
  await expect(used.record(refused, undefined, [])).rejects.toBe(refusal);
  await expect(used.record(refused, under, [])).rejects.toBe(refusal);
  const made = await used.record(await draft(), under, []);
  for (const one of [used, launches()]) {
    expect(await one.record(refused, under, [])).toMatchObject({ replayed: true, body: made.body });
  }
});
