import { generateKeyPairSync } from 'node:crypto';
import { tokenAudience } from '@session-launch/contract/verification';
import { expect, test } from 'vitest';
import { parseSigningKeys } from '../../src/tokens/signing-keys.ts';
import { TokenVerifier } from '../../src/tokens/verify-token.ts';

const keySet = (...kids: string[]) =>
  JSON.stringify({
    keys: kids.map((kid) => ({
      ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
      kid,
    })),
  });
const keys = await parseSigningKeys(keySet('new', 'old'), 'keys.json');
const verifier = new TokenVerifier(keys);
const now = Math.floor(Date.now() / 1000);
const claims = { aud: tokenAudience, sub: 'ses_1', exp: now + 60, projectId: 'prj_ü' };
const [current, former] = keys.all;
const token = current!.sign(JSON.stringify(claims));
const refused = expect.objectContaining({ code: 'SESSION_TOKEN_INVALID' });
const verified = (text: string, expiry?: 'even expired') => () => verifier.verify(text, 'ses_1', expiry);

test('a token of each key is accepted, and its claims are returned', () => {
  expect(verified(token)()).toEqual(claims);
  expect(verified(former!.sign(JSON.stringify(claims)))()).toEqual(claims);
});

test('a token with any other byte, or a part missing or added, is refused', () => {
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A';
    expect(verified(token.slice(0, i) + other + token.slice(i + 1)), String(i)).toThrow(refused);
  }
  for (const text of ['', '.', '..', token.slice(0, -1), `${token}A`, `${token}.`, `${token}=`, ` ${token}`])
    expect(verified(text), text).toThrow(refused);
  expect(verified(token.slice(0, token.lastIndexOf('.') + 1))).toThrow(refused);
});

test('a token of another key, also with the same kid, is refused', async () => {
  const [other] = (await parseSigningKeys(keySet('new'), 'keys.json')).all;
  expect(verified(other!.sign(JSON.stringify(claims)))).toThrow(refused);
  const mixed = `${current!.sign('{}').split('.')[0]}.${former!.sign(JSON.stringify(claims)).split('.').slice(1).join('.')}`;
  expect(verified(mixed)).toThrow(refused);
});

test('a signed token of another session or audience, or without an expiry, is refused', () => {
  for (const changed of [
    { sub: 'ses_2' },
    { aud: 'another' },
    { aud: [tokenAudience] },
    { exp: undefined },
    { exp: 'x' },
  ])
    expect(verified(current!.sign(JSON.stringify({ ...claims, ...changed })))).toThrow(refused);
});

test('an expired token is refused, unless expired ones are accepted', () => {
  const expired = current!.sign(JSON.stringify({ ...claims, exp: now - 1 }));
  expect(verified(expired)).toThrow(refused);
  expect(verified(expired, 'even expired')()).toMatchObject({ exp: now - 1 });
});
