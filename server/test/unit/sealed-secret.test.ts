import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { openSecret, resealSecret, sealingKeyId, sealSecret } from '../../src/outbound/sealed-secret.ts';
import { createSecret } from '../../src/outbound/signature.ts';
import { parseSigningKeys, type SigningKeys } from '../../src/tokens/signing-keys.ts';

const jwk = (kid?: string) => ({
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  ...(kid !== undefined && { kid }),
});
const keySet = (...keys: object[]): Promise<SigningKeys> =>
  parseSigningKeys(JSON.stringify({ keys }), 'keys.json');

const owner = 'whk_1';
const secret = createSecret();

test('a sealed secret is opened with the same signing key, and contains nothing readable', async () => {
  const keys = await keySet(jwk());
  const sealed = sealSecret(keys, owner, secret);
  expect(openSecret(keys, owner, sealed)).toBe(secret);
  const box = Buffer.from(sealed.split('.')[0]!, 'base64url').toString('latin1');
  expect(box).not.toContain('whsec_');
  expect(sealSecret(keys, owner, secret)).not.toBe(sealed);
});

test('a kid may contain any characters', async () => {
  const keys = await keySet(jwk('2026.07 ü:1'));
  const sealed = sealSecret(keys, owner, secret);
  expect(sealingKeyId(sealed)).toBe('2026.07 ü:1');
  expect(openSecret(keys, owner, sealed)).toBe(secret);
});

test('a sealed secret that was changed or copied to another row is rejected', async () => {
  const keys = await keySet(jwk());
  const sealed = sealSecret(keys, owner, secret);
  expect(() => openSecret(keys, 'whk_2', sealed)).toThrow();
  const box = Buffer.from(sealed.split('.')[0]!, 'base64url');
  for (const at of [0, 12, box.length - 17, box.length - 1]) {
    const changed = Buffer.from(box);
    changed[at]! ^= 1;
    expect(() => openSecret(keys, owner, `${changed.toString('base64url')}.${keys.current.kid}`)).toThrow();
  }
  expect(() => openSecret(keys, owner, `AAAA.${keys.current.kid}`)).toThrow();
});

test('a rotation seals again while both keys exist; then the older key can be removed', async () => {
  const [older, newer] = [jwk(), jwk()];
  const sealed = sealSecret(await keySet(older), owner, secret);
  expect(resealSecret(await keySet(older, newer), owner, sealed)).toBeUndefined();
  const both = await keySet(newer, older);
  expect(openSecret(both, owner, sealed)).toBe(secret);
  const again = resealSecret(both, owner, sealed)!;
  const onlyNewer = await keySet(newer);
  expect(openSecret(onlyNewer, owner, again)).toBe(secret);
  expect(resealSecret(onlyNewer, owner, again)).toBeUndefined();
});

test('without its signing key, a secret cannot be opened and is not replaced', async () => {
  const sealed = sealSecret(await keySet(jwk()), owner, secret);
  const others = await keySet(jwk(), jwk());
  expect(openSecret(others, owner, sealed)).toBeUndefined();
  expect(resealSecret(others, owner, sealed)).toBeUndefined();
});

test('a secret sealed with a key of the same kid but other material is rejected', async () => {
  const sealed = sealSecret(await keySet(jwk('one')), owner, secret);
  const impostor = await keySet(jwk('one'));
  expect(() => openSecret(impostor, owner, sealed)).toThrow();
});
