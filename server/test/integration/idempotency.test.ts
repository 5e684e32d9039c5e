import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, send } from '@session-launch/testing/http.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import {
  apply,
  createWorld,
  expectError,
  mintFromBrowser,
  mintFromServer,
  pageOrigin,
  runtime,
  sessionsOf,
  type World,
} from '@session-launch/testing/world.ts';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JWK,
  jwtVerify,
} from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { forgetExpiredClaims } from '../../src/start/housekeeping.ts';
import type { Database, Statement, Workload } from '../../src/store/database.ts';
import { noHousekeeping, type Service, startService } from '../harness/service.ts';

const service = {} as Service;
let folder: string;
let signingKeysFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-idempotency-'));
  signingKeysFile = join(folder, 'keys.json');
  // Trusts a proxy, so that a test can use several client addresses.
  Object.assign(
    service,
    await startService(
      { SIGNING_KEYS_FILE: signingKeysFile, TRUST_PROXY: '127.0.0.1' },
      undefined,
      undefined,
      noHousekeeping,
    ),
  );
});
afterAll(async () => {
  await service.close?.();
  await rm(folder, { recursive: true, force: true });
});

const under = (key: string) => ({ 'Idempotency-Key': key });
const freshKey = () => randomBytes(8).toString('hex');

/** The two mint endpoints that support idempotency keys. */
const endpoints = {
  server: (world: World, body: unknown, headers: Record<string, string | string[]> = {}) =>
    mintFromServer(service, world.key, body, headers),
  browser: (_world: World, body: unknown, headers: Record<string, string | string[]> = {}) =>
    mintFromBrowser(service, body, headers),
};
type EndpointName = keyof typeof endpoints;
const endpointNames = Object.keys(endpoints) as EndpointName[];

async function rows<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
  // A connection caches prepared statements by name, so each gets a unique name.
  return service.database.query<Row>('admin', { name: `test_${freshKey()}`, text }, values);
}

function expectLaunch(answer: Answer): string {
  expect(answer.status, answer.text).toBe(201);
  expect(answer.headers['idempotent-replayed']).toBeUndefined();
  return answer.json.session.sessionId;
}

function expectReplay(answer: Answer, first: Answer): void {
  expect(answer.status, answer.text).toBe(201);
  expect(answer.text).toBe(first.text);
  expect(answer.headers['idempotent-replayed']).toBe('true');
}

/** Applies the project file with changes to its project and its only experience. */
async function change(
  world: World,
  changes: { project?: Record<string, unknown>; experience?: Record<string, unknown> },
): Promise<void> {
  Object.assign(world.file.project, changes.project);
  Object.assign(world.file.experiences[0]!, changes.experience);
  const applied = await apply(service, world.file);
  expect(applied.status, applied.text).toBe(200);
}

describe.each(endpointNames)('a launch at the %s endpoint', (name) => {
  const mint = endpoints[name];

  test('can be replayed for exactly 24 hours', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const first = await mint(world, body, under('k'));
    const id = expectLaunch(first);
    let later = 0;
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => clock.mockRestore());
    const age = async (interval: string) => {
      await rows(
        `UPDATE idempotency_keys SET expires_at = expires_at - $1::text::interval WHERE session_id = $2`,
        [interval, id],
      );
      // Cached rows are read from the database again after a few seconds.
      later += 5_000;
      clock.mockImplementation(() => Number(process.hrtime.bigint()) / 1e6 + later);
    };
    await age('23 hours 59 minutes');
    expectReplay(await mint(world, body, under('k')), first);
    expectError(await mint(world, { ...body, x: 1 }, under('k')), 409, 'IDEMPOTENCY_CONFLICT');
    await age('1 minute');
    const other = { ...body, mode: 'presenter' };
    const second = await mint(world, other, under('k'));
    expect(expectLaunch(second)).not.toBe(id);
    expectReplay(await mint(world, other, under('k')), second);
    expectError(await mint(world, body, under('k')), 409, 'IDEMPOTENCY_CONFLICT');
    expect(await sessionsOf(service, world.projectId)).toHaveLength(2);
  });
});

describe('the scope of a key', () => {
  const elsewhere = 'https://shop.example.com';

  /** Mints from an address that the proxy reports. */
  const from = (address: string, body: unknown, headers: Record<string, string>): Promise<Answer> =>
    mintFromBrowser(service, body, { 'X-Forwarded-For': address, ...headers });

  test('is one project, one mode, one endpoint, one origin and one client', async () => {
    const world = await createWorld(service, { project: { allowedOrigins: [pageOrigin, elsewhere] } });
    const other = await createWorld(service, { project: { allowedOrigins: [pageOrigin, elsewhere] } });
    const body = { experienceId: world.experienceId };
    const mints: (() => Promise<Answer>)[] = [
      () => mintFromServer(service, world.key, body, under('shared')),
      () => mintFromServer(service, world.liveKey, body, under('shared')),
      () => mintFromServer(service, other.key, { experienceId: other.experienceId }, under('shared')),
      () => mintFromServer(service, other.liveKey, { experienceId: other.experienceId }, under('shared')),
      () => mintFromBrowser(service, body, under('shared')),
      () => mintFromBrowser(service, body, { Origin: elsewhere, ...under('shared') }),
      () => mintFromBrowser(service, { experienceId: other.experienceId }, under('shared')),
      () => from('203.0.113.2', body, under('shared')),
      () => from('203.0.113.3', body, under('shared')),
      () => from('203.0.113.3', body, { Origin: elsewhere, ...under('shared') }),
    ];
    const firsts: Answer[] = [];
    for (const mint of mints) firsts.push(await mint());
    expect(new Set(firsts.map(expectLaunch)).size).toBe(mints.length);
    for (const [n, mint] of mints.entries()) expectReplay(await mint(), firsts[n]!);
  });

  test('does not let another visitor fetch a launch by guessing its key, with any headers', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const first = await from('203.0.113.1', body, under('1'));
    const thief = await from('203.0.113.1, 203.0.113.9', body, {
      ...under('1'),
      'X-Real-IP': '203.0.113.1',
      Forwarded: 'for=203.0.113.1',
    });
    expect(expectLaunch(thief)).not.toBe(first.json.session.sessionId);
    expect(thief.json.launch.sessionToken).not.toBe(first.json.launch.sessionToken);
  });
});

describe('after a restart', () => {
  /** Starts another service on the same database with another configuration. */
  async function restarted(keys: object[], env: Record<string, string> = {}): Promise<Service> {
    const file = join(folder, `${freshKey()}.json`);
    await writeFile(file, JSON.stringify({ keys }));
    const port = await freePort();
    const later = await startService(
      { PORT: String(port), SIGNING_KEYS_FILE: file, TRUST_PROXY: '127.0.0.1', ...env },
      service,
    );
    onTestFinished(() => later.close());
    // Not its own URL: PUBLIC_URL points elsewhere.
    const url = `http://127.0.0.1:${port}`;
    return { ...later, url, call: (call) => send(url, call) };
  }

  async function keyInUse(): Promise<JWK> {
    return JSON.parse(await readFile(signingKeysFile, 'utf8')).keys[0];
  }

  async function anotherKey(): Promise<JWK> {
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    return { ...(await exportJWK(privateKey)), kid: freshKey() };
  }

  test('with a new signing key, lifetime and address, a launch of an old revision is still the same bytes', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId, startButton: { z: 1, a: { b: [0.1, 1e21] } } };
    const server = await mintFromServer(service, world.key, body, under('k'));
    const browser = await mintFromBrowser(service, body, under('k'));
    const next = await anotherKey();
    await change(world, { experience: { title: 'Newer', runtime: runtime({ mode: 'presenter' }) } });
    const later = await restarted([next, await keyInUse()], {
      TOKEN_TTL_SECONDS: '77',
      PUBLIC_URL: 'https://launch.example.com',
    });
    expectReplay(await mintFromServer(later, world.key, body, under('k')), server);
    expectReplay(await mintFromBrowser(later, body, under('k')), browser);

    const fresh = await mintFromServer(later, world.key, body, under('new'));
    expectLaunch(fresh);
    const { sessionToken } = fresh.json.launch;
    expect(decodeProtectedHeader(sessionToken).kid).toBe(next.kid);
    const { iss, iat, exp } = decodeJwt(sessionToken);
    expect({ iss, seconds: exp! - iat! }).toEqual({ iss: 'https://launch.example.com', seconds: 77 });
    // And the reverse: the older process replays the newer launch, but signs with another key, since it does not know the new one.
    const older = await mintFromServer(service, world.key, body, under('new'));
    expect(withoutToken(older)).toEqual(withoutToken(fresh));
  });

  test('without its signing key, a launch is replayed with a token of the current key and no other change', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const first = await mintFromBrowser(service, body, under('k'));
    expectLaunch(first);
    const only = await anotherKey();
    const later = await restarted([only], {
      TOKEN_TTL_SECONDS: '77',
      PUBLIC_URL: 'https://launch.example.com',
    });
    const again = await mintFromBrowser(later, body, under('k'));
    expect(again.status).toBe(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(withoutToken(again)).toEqual(withoutToken(first));
    const [was, is] = [first, again].map((answer) => answer.json.launch.sessionToken as string);
    expect(decodeJwt(is!)).toEqual(decodeJwt(was!));
    expect(decodeProtectedHeader(is!)).toEqual({ ...decodeProtectedHeader(was!), kid: only.kid });
    const jwks = createLocalJWKSet((await later.call({ path: '/.well-known/jwks.json' })).json);
    expect((await jwtVerify(is!, jwks)).payload.sub).toBe(first.json.session.sessionId);
    expectReplay(await mintFromBrowser(later, body, under('k')), again);
  });

  test('a launch made by another process conflicts in both processes', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    expectLaunch(await mintFromServer(service, world.key, body, under('k')));
    const later = await restarted([await keyInUse()]);
    expectError(
      await mintFromServer(later, world.key, { ...body, mode: 'presenter' }, under('k')),
      409,
      'IDEMPOTENCY_CONFLICT',
    );
  });

  function withoutToken(answer: Answer): unknown {
    const { session, launch } = answer.json;
    return { session, launch: { ...launch, sessionToken: undefined } };
  }
});

describe('the stored record', () => {
  test('contains no token, no API key, no Idempotency-Key and no signing key', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId, startButton: { seen: 'in the clear' } };
    const secret = `idem-${freshKey()}`;
    const answers = [
      await mintFromServer(service, world.key, body, under(secret)),
      await mintFromServer(service, world.key, body, under(secret)),
      await mintFromServer(service, world.liveKey, body),
      await mintFromBrowser(service, body, under(secret)),
    ];
    const everything = (await dump()).join('\n');
    expect(everything.includes('in the clear')).toBe(true);
    expect(everything.includes(answers[0]!.json.session.sessionId)).toBe(true);
    const { d } = JSON.parse(await readFile(signingKeysFile, 'utf8')).keys[0];
    const secrets = [secret, world.key, world.liveKey, d as string];
    // Parts of keys and tokens, in case they are stored without the rest.
    secrets.push(...[world.key, world.liveKey].map((key) => key.split('_')[2]!));
    for (const answer of answers) secrets.push(...answer.json.launch.sessionToken.split('.').slice(1));
    for (const text of secrets) {
      const forms = [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64url')];
      // A failure message must not contain the dump, since that would expose the secret.
      expect(forms.filter((form) => everything.includes(form))).toHaveLength(0);
    }
  });

  /** All rows of all tables as text. */
  async function dump(): Promise<string[]> {
    const tables = await rows<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      texts.push(
        ...(await rows<{ text: string }>(`SELECT t::text AS text FROM ${name} t`)).map((r) => r.text),
      );
    }
    return texts;
  }

  test('is deleted after 24 hours, in bounded batches, and not earlier', async () => {
    const world = await createWorld(service);
    const first = await mintFromServer(service, world.key, { experienceId: world.experienceId }, under('k'));
    const id = expectLaunch(first);
    const insert = (count: number, from: number, expiresAt: string) =>
      rows(
        `INSERT INTO idempotency_keys (hash, fingerprint, session_id, expires_at)
         SELECT sha256(convert_to($1 || n::text, 'UTF8')), sha256(''), $1, ${expiresAt}
           FROM generate_series($2::integer, $3::integer) n`,
        [id, from, from + count - 1],
      );
    const left = async () => {
      const [row] = await rows<{ valid: number; expired: number }>(
        `SELECT count(*) FILTER (WHERE expires_at > now())::integer AS valid,
                count(*) FILTER (WHERE expires_at <= now())::integer AS expired
           FROM idempotency_keys WHERE session_id = $1`,
        [id],
      );
      return row;
    };
    await insert(2_500, 1, `now() - interval '1 hour'`);
    await insert(40, 10_001, `now() + interval '1 second' * n`);
    const sizes: number[] = [];
    await forgetExpiredClaims(counting(service.database, sizes));
    expect(await left()).toEqual({ valid: 41, expired: 0 });
    // The maintenance of the service itself may have run in between.
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expectReplay(
      await mintFromServer(service, world.key, { experienceId: world.experienceId }, under('k')),
      first,
    );

    // One run is limited, regardless of the number of rows; the next run continues.
    await insert(3_000, 100_001, `now() - interval '1 hour'`);
    const bounded: number[] = [];
    await forgetExpiredClaims(counting(service.database, bounded), 0);
    expect(bounded).toHaveLength(1);
    await forgetExpiredClaims(service.database);
    expect(await left()).toEqual({ valid: 41, expired: 0 });
  });

  /** A database that records the number of rows that each statement affected. */
  function counting(database: Database, sizes: number[]): Database {
    return {
      ...database,
      query: async <Row>(workload: Workload, statement: Statement, values?: unknown[]) => {
        const rows = await database.query<Row>(workload, statement, values);
        sizes.push(rows.length);
        return rows;
      },
    };
  }
});
