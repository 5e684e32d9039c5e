import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SigningKey, SigningKeys } from '../tokens/signing-keys.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a secret for the database, so that a dump alone does not reveal it. The key is derived from the current signing key, which only
 * the file of signing keys contains. `owner` names the row; a sealed secret that is copied to another row cannot be opened there.
 *
 * Returns `<base64url of nonce, ciphertext and tag>.<kid of the signing key>`.
 */
export function sealSecret(keys: SigningKeys, owner: string, secret: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, derivedKey(keys.current), nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(owner));
  const box = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${box.toString('base64url')}.${keys.current.kid}`;
}

/**
 * Decrypts a sealed secret. Returns `undefined` if its signing key is no longer in the file; the only way out is then a new secret. Throws if
 * the text was changed or belongs to another row.
 */
export function openSecret(keys: SigningKeys, owner: string, sealed: string): string | undefined {
  const key = keys.find(sealingKeyId(sealed));
  if (key === undefined) return undefined;
  const box = Buffer.from(sealed.slice(0, sealed.indexOf('.')), 'base64url');
  const decipher = createDecipheriv(algorithm, derivedKey(key), box.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(owner));
  decipher.setAuthTag(box.subarray(-tagBytes));
  return decipher.update(box.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
}

/**
 * Seals a secret again with the current signing key, so that the older one can be removed from the file. Returns `undefined` if that is not
 * necessary, or not possible because its signing key has been removed already.
 */
export function resealSecret(keys: SigningKeys, owner: string, sealed: string): string | undefined {
  if (sealingKeyId(sealed) === keys.current.kid) return undefined;
  const secret = openSecret(keys, owner, sealed);
  return secret === undefined ? undefined : sealSecret(keys, owner, secret);
}

/** The kid of the signing key that a sealed secret needs. */
export function sealingKeyId(sealed: string): string {
  return sealed.slice(sealed.indexOf('.') + 1);
}

const derivedKeys = new WeakMap<SigningKey, Buffer>();

function derivedKey(key: SigningKey): Buffer {
  const known = derivedKeys.get(key);
  if (known !== undefined) return known;
  const input = Buffer.from(key.material.d, 'base64url');
  const derived = Buffer.from(hkdfSync('sha256', input, '', 'session-launch sealed secrets v1', 32));
  derivedKeys.set(key, derived);
  return derived;
}
