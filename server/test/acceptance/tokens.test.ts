import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send } from '@session-launch/testing/http.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { pageOrigin } from '@session-launch/testing/world.ts';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService, useService } from '../harness/service.ts';
import { browserDoor, doors, knock, launch, openWorld, publicDoor, serverDoor } from './doors.ts';

const service = useService();
const jwksPath = '/.well-known/jwks.json';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-keys-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a runtime does: it knows the address of the keys, the issuer and the audience, and nothing else. */
async function verify(token: string, at: Service, issuer: string = at.url) {
  const { json } = await send(at.url, { path: jwksPath });
  return jwtVerify(token, createLocalJWKSet(json), {
    issuer,
    audience: 'session-runtime',
    algorithms: ['EdDSA'],
  });
}

describe.each(doors.map((door) => [door.path, door] as const))('a token of %s', (_path, door) => {
  test('is verified with the published keys alone, and names its session', async () => {
    const world = await openWorld(service);
    const { manifest } = await launch(service, door, world);
    const keys = createRemoteJWKSet(new URL(jwksPath, service.url));
    const { payload, protectedHeader } = await jwtVerify(manifest.sessionToken, keys, {
      issuer: service.url,
      audience: 'session-runtime',
      subject: manifest.sessionId,
      algorithms: ['EdDSA'],
      typ: 'JWT',
    });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: service.url,
      aud: 'session-runtime',
      sub: manifest.sessionId,
      jti: manifest.sessionId,
      iat: expect.any(Number),
      exp: expect.any(Number),
      projectId: world.projectId,
      experienceId: world.experienceId,
      revision: 1,
      livemode: door !== serverDoor,
      ...(door === serverDoor ? {} : { origin: pageOrigin }),
    });
  });

  test('lives for 600 seconds, as the manifest says', async () => {
    const world = await openWorld(service);
    const before = Math.floor(Date.now() / 1000);
    const { manifest } = await launch(service, door, world);
    const { iat = 0, exp = 0 } = decodeJwt(manifest.sessionToken);
    expect(exp - iat).toBe(600);
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(iat).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
    expect(manifest.expiresAt).toBe(new Date(exp * 1000).toISOString());
  });

  test('says nothing about the user', async () => {
    const world = await openWorld(service);
    const { manifest } = await launch(service, door, world, { userId: 'user-7', processorId: 'processor-3' });
    expect(JSON.stringify(decodeJwt(manifest.sessionToken))).not.toMatch(/user-7|processor-3/);
  });
});

test('livemode follows the key', async () => {
  const world = await openWorld(service);
  const live = await launch(service, serverDoor, world, {}, { Authorization: `Bearer ${world.liveKey}` });
  expect(decodeJwt(live.manifest.sessionToken).livemode).toBe(true);
});

test('revision follows the launch', async () => {
  const world = await openWorld(service);
  world.file.experiences[0]!.title = 'Another title';
  await service.admin({ method: 'POST', path: '/admin/projects', body: world.file });
  const { manifest } = await launch(service, serverDoor, world);
  expect(decodeJwt(manifest.sessionToken).revision).toBe(2);
});

test('a token that was touched is not verified', async () => {
  const world = await openWorld(service);
  const { manifest } = await launch(service, browserDoor, world);
  const [header, , signature] = manifest.sessionToken.split('.');
  const claims: JWTPayload = { ...decodeJwt(manifest.sessionToken), livemode: false };
  const forged = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  await expect(verify(forged, service)).rejects.toThrow(/signature/);
});

describe('the published keys', () => {
  test('may be cached, and hold nothing private', async () => {
    const answer = await service.call({ path: jwksPath });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/(jwk-set\+)?json/);
    expect(answer.headers['cache-control']).toMatch(/max-age=[1-9]/);
    expect(answer.headers['cache-control']).not.toMatch(/no-store|private/);
    for (const key of answer.json.keys) {
      expect(key).toEqual({
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid: expect.any(String),
        x: expect.any(String),
      });
    }
    expect(answer.json.keys).toHaveLength(1);
  });

  test('name the key that signs', async () => {
    const world = await openWorld(service);
    const { manifest } = await launch(service, publicDoor, world);
    const { json } = await service.call({ path: jwksPath });
    expect(decodeProtectedHeader(manifest.sessionToken).kid).toBe(json.keys[0].kid);
  });

  test('need neither a key nor an Origin, and take no other method', async () => {
    expect((await service.call({ method: 'HEAD', path: jwksPath })).status).toBe(200);
    const answer = await service.call({ method: 'POST', path: jwksPath, body: {} });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });
});

describe('configuration', () => {
  test.each(['10', '7200'])('TOKEN_TTL_SECONDS=%s decides how long a token lives', async (seconds) => {
    const other = await startService({ TOKEN_TTL_SECONDS: seconds }, service);
    try {
      const world = await openWorld(other);
      const { manifest } = await launch(other, serverDoor, world);
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
        headers: serverDoor.admission(world),
        body: { experienceId: world.experienceId },
      });
      expect(decodeJwt(answer.json.launch.sessionToken).iss).toBe('https://launch.example.com/avatars');
    } finally {
      await other.close();
    }
  });

  test('a key file is made when there is none, for its owner only, and used again', async () => {
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

describe('rotation', () => {
  function privateKey(kid: string): object {
    return { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid };
  }

  /** Publish, sign, retire: each step is a start on an edited file, over one database. */
  test('publish, sign and retire a key without a token that cannot be verified', async () => {
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
      const answer = await knock(at, serverDoor, world, body, headers);
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
    // A replay is signed with the key of its launch while that key is there: the same bytes again.
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
    // Then a replay carries a token of the current key, for the same session and the same time.
    const { sessionToken, ...rest } = (await mint(retired, 'first')).json.launch;
    const { sessionToken: original, ...launched } = first.json.launch;
    expect(rest).toEqual(launched);
    expect(decodeProtectedHeader(sessionToken).kid).toBe('fresh');
    expect(decodeJwt(sessionToken)).toEqual(decodeJwt(original));
    await verify(sessionToken, retired, decodeJwt(sessionToken).iss!);
    await retired.close();
  });
});
