import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { jwsSigner, type KeyMaterial, loadSodium } from '../../src/tokens/ed25519.js';

test('libsodium is installed, so that the tests cover it', () => {
  expect(loadSodium()).not.toBeNull();
});

test('both implementations sign the same token, and it verifies', () => {
  const header = JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid: 'a "kid"' });
  for (let i = 0; i < 50; i++) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const material = { header, ...privateKey.export({ format: 'jwk' }) } as KeyMaterial;
    const payload = JSON.stringify({ text: `${randomBytes(i * 13).toString('base64url')} ü ∂ 😀` });
    const token = jwsSigner(material, loadSodium())(payload);
    expect(token).toBe(jwsSigner(material, null)(payload));
    expect(token).toBe(jwsSigner(material)(payload));
    const [head = '', body = '', signature = ''] = token.split('.');
    expect(Buffer.from(head, 'base64url').toString()).toBe(header);
    expect(Buffer.from(body, 'base64url').toString()).toBe(payload);
    const signed = Buffer.from(`${head}.${body}`);
    expect(verify(null, signed, createPublicKey(privateKey), Buffer.from(signature, 'base64url'))).toBe(true);
  }
});
