import { tokenAudience } from '@session-launch/contract/verification';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { createWorld, mintFromBrowser, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SessionLaunch } from '../src/index.ts';
import { SessionTokenError, sessionTokenVerifier } from '../src/verify.ts';
import { json, listen, nobody, scriptedServer } from './scripted-server.ts';

const service = deployedService();
let world: World;

beforeAll(async () => {
  world = await createWorld(service);
});

describe('tokens of the service', () => {
  const verify = sessionTokenVerifier({ issuer: service.url });

  test('are valid, and their claims name the session', async () => {
    const client = new SessionLaunch({ baseUrl: service.url, apiKey: world.key });
    const { launch, session } = await client.sessions.mint({ experienceId: world.experienceId });
    expect(await verify(launch.sessionToken, { origin: 'https://anywhere.example' })).toMatchObject({
      iss: service.url,
      aud: tokenAudience,
      sub: session.sessionId,
      jti: session.sessionId,
      projectId: world.projectId,
      experienceId: world.experienceId,
      livemode: false,
    });
  });

  test('from a browser are valid only at their own origin', async () => {
    const { json } = await mintFromBrowser(service, { experienceId: world.experienceId });
    const token = json.launch.sessionToken;
    expect(await verify(token, { origin: pageOrigin })).toMatchObject({ origin: pageOrigin });
    expect(await verify(token)).toMatchObject({ origin: pageOrigin });
    await expect(verify(token, { origin: 'https://evil.example' })).rejects.toMatchObject({ code: 'ORIGIN' });
    await expect(verify(token, { origin: undefined })).rejects.toMatchObject({ code: 'ORIGIN' });
  });

  test('are valid once if firstUse is given', async () => {
    const { json } = await mintFromBrowser(service, { experienceId: world.experienceId });
    const seen = new Map<string, Date>();
    const firstUse = async (jti: string, exp: Date) => !seen.has(jti) && seen.set(jti, exp).has(jti);
    await verify(json.launch.sessionToken, { firstUse });
    expect([...seen]).toEqual([[json.session.sessionId, new Date(json.launch.expiresAt)]]);
    await expect(verify(json.launch.sessionToken, { firstUse })).rejects.toMatchObject({ code: 'USED' });
  });
});

describe('other tokens', () => {
  const issuer = 'https://launch.example.com';
  const claims = {
    iss: issuer,
    aud: 'session-runtime',
    sub: 'ses_1',
    jti: 'ses_1',
    projectId: 'prj_a',
    experienceId: 'exp_a',
    revision: 1,
    livemode: true,
  };
  const now = Math.floor(Date.now() / 1000);
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let keySet: { keys: object[] };

  beforeAll(async () => {
    keys = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    keySet = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' }] };
  });

  const signed = (changes: JWTPayload = {}, header = {}, key = keys.privateKey) =>
    new SignJWT({ iat: now, exp: now + 600, ...claims, ...changes })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: 'k1', ...header })
      .sign(key);

  async function verifier(options = {}) {
    const { url, received } = await scriptedServer((response, request) =>
      json(200, keySet)(response, request),
    );
    return { verify: sessionTokenVerifier({ issuer, jwksUrl: `${url}/keys`, ...options }), received };
  }

  test('signed like those of the service are valid, also if the given issuer ends with a slash', async () => {
    for (const options of [{}, { issuer: `${issuer}/` }]) {
      const { verify } = await verifier(options);
      expect(await verify(await signed())).toMatchObject(claims);
    }
  });

  test.each<[string, () => Promise<string> | string]>([
    ['EXPIRED', () => signed({ exp: now - 60 })],
    ['AUDIENCE', () => signed({ aud: 'somebody-else' })],
    ['ISSUER', () => signed({ iss: 'https://other.example.com' })],
    ['MALFORMED', () => signed({ jti: 'ses_2' })],
    ['MALFORMED', () => signed({ revision: 'one' })],
    ['MALFORMED', () => signed({ exp: undefined } as never)],
    ['MALFORMED', () => signed({}, { typ: 'at+jwt' })],
    ['MALFORMED', () => ''],
    ['MALFORMED', () => 'a.b.c'],
    ['SIGNATURE', () => signed({}, { kid: 'k2' })],
    [
      'SIGNATURE',
      async () => signed({}, {}, (await generateKeyPair('EdDSA', { crv: 'Ed25519' })).privateKey),
    ],
    ['SIGNATURE', async () => (await signed()).replace(/\.[^.]+$/, `.${'A'.repeat(86)}`)],
    [
      'SIGNATURE',
      () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: 'k1' })
          .sign(new Uint8Array(32)),
    ],
  ])('%s', async (code, make) => {
    const { verify } = await verifier();
    const token = await make();
    const error = await verify(token).catch((reason) => reason);
    expect(error).toBeInstanceOf(SessionTokenError);
    expect(error).toMatchObject({ name: 'SessionTokenError', code });
    if (token !== '') expect(`${error.stack}`).not.toContain(token);
  });

  test('clock skew is tolerated up to the given limit', async () => {
    const { verify } = await verifier({ clockToleranceSec: 120 });
    expect(await verify(await signed({ exp: now - 60 }))).toMatchObject({ sub: 'ses_1' });
  });

  test('the keys are fetched once, and unknown key ids do not cause repeated fetches', async () => {
    const { verify, received } = await verifier();
    await verify(await signed());
    await verify(await signed());
    for (let n = 0; n < 5; n++)
      await verify(await signed({}, { kid: `unknown-${n}` })).catch(() => undefined);
    expect(received.map(({ url }) => url)).toEqual(['/keys']);
  });

  test('an unknown key id is fetched again after 30 s, and all keys after 300 s', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { verify, received } = await verifier({ clockToleranceSec: 3_600 });
    await verify(await signed());
    const fresh = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    const token = await signed({}, { kid: 'k2' }, fresh.privateKey);
    keySet = { keys: [...keySet.keys, { ...(await exportJWK(fresh.publicKey)), kid: 'k2', alg: 'EdDSA' }] };
    vi.advanceTimersByTime(29_000);
    await expect(verify(token)).rejects.toMatchObject({ code: 'SIGNATURE' });
    expect(received).toHaveLength(1);
    vi.advanceTimersByTime(2_000);
    await verify(token);
    expect(received).toHaveLength(2);
    vi.advanceTimersByTime(299_000);
    await verify(token);
    expect(received).toHaveLength(2);
    vi.advanceTimersByTime(2_000);
    await verify(token);
    expect(received).toHaveLength(3);
  });

  test.each([
    ['the request fails', () => nobody()],
    ['the response is not a key set', async () => (await scriptedServer(json(200, { hello: 'world' }))).url],
    ['the response is an error', () => listen((_request, response) => response.writeHead(500).end())],
  ])('KEYS_UNAVAILABLE when %s', async (_case, address) => {
    const verify = sessionTokenVerifier({ issuer, jwksUrl: await address() });
    await expect(verify(await signed())).rejects.toMatchObject({ code: 'KEYS_UNAVAILABLE' });
  });
});
