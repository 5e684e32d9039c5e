import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send } from '@session-launch/testing/http.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, mintAt, openWorld, serverEndpoint } from '../acceptance/mint-endpoints.ts';
import { type Service, startService, useService } from '../harness/service.ts';

const service = useService();
const jwksPath = '/.well-known/jwks.json';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-keys-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Verifies a token as a runtime does: with only the JWKS URL, the issuer and the audience. */
async function verify(token: string, at: Service, issuer: string = at.url) {
  const { json } = await send(at.url, { path: jwksPath });
  return jwtVerify(token, createLocalJWKSet(json), {
    issuer,
    audience: 'session-runtime',
    algorithms: ['EdDSA'],
  });
}

describe('configuration', () => {
  test.each(['10', '7200'])('TOKEN_TTL_SECONDS=%s sets the lifetime of a token', async (seconds) => {
    const other = await startService({ TOKEN_TTL_SECONDS: seconds }, service);
    try {
      const world = await openWorld(other);
      const { manifest } = await launch(other, serverEndpoint, world);
      const { iat = 0, exp = 0 } = decodeJwt(manifest.sessionToken);
      expect(exp - iat).toBe(Number(seconds));
      expect(manifest.expiresAt).toBe(new Date(exp * 1000).toISOString());
    } finally {
      await other.close();
    }
  });

  test('PUBLIC_URL is the issuer', async () => {
    const port = await freePort();
    const env = { PORT: String(port), PUBLIC_URL: 'https://launch.example.com/avatars/' };
    const other = await startService(env, service);
    try {
      const world = await openWorld(service);
      const answer = await send(`http://127.0.0.1:${port}`, {
        method: 'POST',
        path: '/v1/sessions',
        headers: serverEndpoint.admission(world),
        body: { experienceId: world.experienceId },
      });
      expect(decodeJwt(answer.json.launch.sessionToken).iss).toBe('https://launch.example.com/avatars');
    } finally {
      await other.close();
    }
  });

  test('a missing key file is created, readable by its owner only, and reused', async () => {
    const file = join(folder, 'made', 'keys.json');
    const kids: string[] = [];
    for (let start = 0; start < 2; start++) {
      const other = await startService({ SIGNING_KEYS_FILE: file }, service);
      kids.push((await other.call({ path: jwksPath })).json.keys[0].kid);
      await other.close();
    }
    expect(kids[0]).toBe(kids[1]);
    expect((await stat(file)).mode & 0o077).toBe(0);
  });
});

describe('key rotation', () => {
  function privateKey(kid: string): object {
    return { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid };
  }

  /** Publish, sign, retire: each step starts a service with an edited key file on one database. */
  test('publishes, uses and retires a key, and every token stays verifiable', async () => {
    const [old, fresh] = [privateKey('old'), privateKey('fresh')];
    const file = join(folder, 'rotated.json');
    const world = await openWorld(service);
    const tokens: Record<string, string> = {};
    const start = async (keys: object[]): Promise<Service> => {
      await writeFile(file, JSON.stringify({ keys }));
      return startService({ SIGNING_KEYS_FILE: file }, service);
    };
    const published = async (at: Service) =>
      (await at.call({ path: jwksPath })).json.keys.map((key: { kid: string }) => key.kid);
    const mint = async (at: Service, idempotencyKey: string) => {
      const body = { experienceId: world.experienceId };
      const headers = { 'Idempotency-Key': idempotencyKey };
      const answer = await mintAt(at, serverEndpoint, world, body, headers);
      expect(answer.status, answer.text).toBe(201);
      return answer;
    };

    const before = await start([old]);
    const first = await mint(before, 'first');
    tokens.first = first.json.launch.sessionToken;
    expect(await published(before)).toEqual(['old']);
    await before.close();

    const publishing = await start([old, fresh]);
    tokens.second = (await mint(publishing, 'second')).json.launch.sessionToken;
    expect((await published(publishing)).sort()).toEqual(['fresh', 'old']);
    expect(decodeProtectedHeader(tokens.second!).kid).toBe('old');
    await publishing.close();

    const signing = await start([fresh, old]);
    tokens.third = (await mint(signing, 'third')).json.launch.sessionToken;
    expect(decodeProtectedHeader(tokens.third!).kid).toBe('fresh');
    for (const token of Object.values(tokens)) await verify(token, signing, decodeJwt(token).iss!);
    // A replay is signed with the key of its launch while that key exists: the bytes are equal.
    const replayed = await mint(signing, 'first');
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect(replayed.text).toBe(first.text);
    await signing.close();

    const retired = await start([fresh]);
    expect(await published(retired)).toEqual(['fresh']);
    await verify(tokens.third!, retired, decodeJwt(tokens.third!).iss!);
    await expect(verify(tokens.first!, retired, decodeJwt(tokens.first!).iss!)).rejects.toThrow(
      /no applicable key/,
    );
    // After that, a replay has a token signed with the current key, for the same session and with the same times.
    const { sessionToken, ...rest } = (await mint(retired, 'first')).json.launch;
    const { sessionToken: original, ...launched } = first.json.launch;
    expect(rest).toEqual(launched);
    expect(decodeProtectedHeader(sessionToken).kid).toBe('fresh');
    expect(decodeJwt(sessionToken)).toEqual(decodeJwt(original));
    await verify(sessionToken, retired, decodeJwt(sessionToken).iss!);
    await retired.close();
  });
});
