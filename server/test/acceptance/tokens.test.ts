import { sessionTokenVerifier } from '@session-launch/backend/verify';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { pageOrigin } from '@session-launch/testing/world.ts';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  browserEndpoint,
  endpoints,
  launch,
  openWorld,
  publicEndpoint,
  serverEndpoint,
  sharedWorld,
} from './mint-endpoints.ts';

const service = deployedService();
const jwksPath = '/.well-known/jwks.json';
const verify = sessionTokenVerifier({ issuer: service.url });

describe.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))(
  'a token of %s',
  (_path, endpoint) => {
    test('can be verified with the published keys alone, and names its session', async () => {
      const world = await sharedWorld(service);
      const { manifest } = await launch(service, endpoint, world);
      expect(decodeProtectedHeader(manifest.sessionToken)).toEqual({
        alg: 'EdDSA',
        typ: 'JWT',
        kid: expect.any(String),
      });
      expect(await verify(manifest.sessionToken, { origin: pageOrigin })).toEqual({
        iss: service.url,
        aud: 'session-runtime',
        sub: manifest.sessionId,
        jti: manifest.sessionId,
        iat: expect.any(Number),
        exp: expect.any(Number),
        projectId: world.projectId,
        experienceId: world.experienceId,
        revision: 1,
        livemode: endpoint !== serverEndpoint,
        ...(endpoint === serverEndpoint ? {} : { origin: pageOrigin }),
      });
    });

    test('is valid for 600 seconds, as the manifest states', async () => {
      const world = await sharedWorld(service);
      const before = Math.floor(Date.now() / 1000);
      const { manifest } = await launch(service, endpoint, world);
      const { iat = 0, exp = 0 } = decodeJwt(manifest.sessionToken);
      expect(exp - iat).toBe(600);
      expect(iat).toBeGreaterThanOrEqual(before);
      expect(iat).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
      expect(manifest.expiresAt).toBe(new Date(exp * 1000).toISOString());
    });

    test('contains nothing about the user', async () => {
      const world = await sharedWorld(service);
      const { manifest } = await launch(service, endpoint, world, {
        userId: 'user-7',
        processorId: 'processor-3',
      });
      expect(JSON.stringify(decodeJwt(manifest.sessionToken))).not.toMatch(/user-7|processor-3/);
    });
  },
);

test('livemode is that of the API key', async () => {
  const world = await sharedWorld(service);
  const live = await launch(service, serverEndpoint, world, {}, { Authorization: `Bearer ${world.liveKey}` });
  expect(decodeJwt(live.manifest.sessionToken).livemode).toBe(true);
});

test('revision is that of the launch', async () => {
  const world = await openWorld(service);
  world.file.experiences[0]!.title = 'Another title';
  await service.admin({ method: 'POST', path: '/admin/projects', body: world.file });
  const { manifest } = await launch(service, serverEndpoint, world);
  expect(decodeJwt(manifest.sessionToken).revision).toBe(2);
});

test('a modified token fails verification', async () => {
  const world = await sharedWorld(service);
  const { manifest } = await launch(service, browserEndpoint, world);
  const [header, , signature] = manifest.sessionToken.split('.');
  const claims: JWTPayload = { ...decodeJwt(manifest.sessionToken), livemode: false };
  const forged = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  await verify(manifest.sessionToken);
  await expect(verify(forged)).rejects.toMatchObject({ code: 'SIGNATURE' });
});

describe('the published keys', () => {
  test('may be cached, and contain no private part', async () => {
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

  test('include the key that signs', async () => {
    const world = await sharedWorld(service);
    const { manifest } = await launch(service, publicEndpoint, world);
    const { json } = await service.call({ path: jwksPath });
    expect(decodeProtectedHeader(manifest.sessionToken).kid).toBe(json.keys[0].kid);
  });

  test('need neither an API key nor an Origin, and accept no other method', async () => {
    expect((await service.call({ method: 'HEAD', path: jwksPath })).status).toBe(200);
    const answer = await service.call({ method: 'POST', path: jwksPath, body: {} });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });
});
