import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { ed25519Signer, pooledSigner, sodium } from '../../src/sessions/ed25519.ts';

test('libsodium is there, so that the tests cover it', () => {
  expect(sodium).toBeDefined();
});

test('both ways to sign give the same signature, and it verifies', async () => {
  for (let i = 0; i < 50; i++) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const text = randomBytes(i * 13).toString('base64url');
    const signature = await ed25519Signer(privateKey)(text);
    expect(signature).toEqual(await pooledSigner(privateKey)(text));
    expect(verify(null, Buffer.from(text), createPublicKey(privateKey), signature)).toBe(true);
  }
});
