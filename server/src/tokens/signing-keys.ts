import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { StartError } from '@session-launch/process/start-error';
import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { createSecretFile } from '../store/files/secret-file.ts';
import { jwsSigner, type KeyMaterial } from './ed25519.js';

export interface SigningKey {
  kid: string;
  /** Returns the compact JWS of a payload. */
  sign: (payload: string) => string;
  /** Key material for the signing thread. */
  material: KeyMaterial;
  /** When the key was created: its `iat`, or else when the file was last changed. */
  since: Date;
  /** The public key as published at `/.well-known/jwks.json`. */
  publicJwk: JWK;
}

export interface SigningKeys {
  /** Signs new tokens. */
  current: SigningKey;
  /** Every key of the file, the current one first. Older keys verify tokens and sign replays of tokens they signed. */
  all: readonly SigningKey[];
  find(kid: string): SigningKey | undefined;
}

/** Reads the private key set, or creates one if the file is missing (`made` is then true). */
export async function openSigningKeys(file: string): Promise<{ keys: SigningKeys; made: boolean }> {
  const existing = await readKeyFile(file);
  if (existing !== undefined) return { keys: await parseSigningKeys(existing, file), made: false };
  const made = await createKeyFile(file);
  const text = (await readKeyFile(file)) ?? '';
  return { keys: await parseSigningKeys(text, file), made };
}

export async function parseSigningKeys(text: string, file: string): Promise<SigningKeys> {
  const wrong = (what: string) =>
    new StartError(
      `SIGNING_KEYS_FILE ${file} ${what}; it must be a JSON Web Key Set of private Ed25519 keys (remove it to create a new one)`,
    );
  let set: { keys?: unknown };
  try {
    set = JSON.parse(text) as { keys?: unknown };
  } catch {
    throw wrong('is not JSON');
  }
  if (!Array.isArray(set?.keys) || set.keys.length === 0) throw wrong('has no keys');
  const changedAt = (await stat(file).catch(() => undefined))?.mtime ?? new Date();
  const all: SigningKey[] = [];
  for (const [index, jwk] of (set.keys as StoredKey[]).entries()) {
    const key = await parseKey(jwk, changedAt).catch(() => undefined);
    if (key === undefined) throw wrong(`has a key, number ${index + 1}, that is not a private Ed25519 key`);
    if (all.some((other) => other.kid === key.kid)) throw wrong(`has two keys with the kid "${key.kid}"`);
    all.push(key);
  }
  return { current: all[0]!, all, find: (kid) => all.find((key) => key.kid === kid) };
}

/** A key of the file. The service writes when it created the key, in seconds. */
type StoredKey = JWK & { iat?: unknown };

async function parseKey(jwk: StoredKey, changedAt: Date): Promise<SigningKey | undefined> {
  if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519' || typeof jwk.d !== 'string') return undefined;
  const privateKey = createPrivateKey({
    key: { kty: 'OKP', crv: 'Ed25519', d: jwk.d, x: jwk.x ?? '' },
    format: 'jwk',
  });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  if (x === undefined || (jwk.x !== undefined && jwk.x !== x)) return undefined;
  const kid = jwk.kid ?? (await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x }));
  const publicJwk: JWK = { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
  const material = { header: JSON.stringify({ alg: 'EdDSA', typ: 'JWT', kid }), d: jwk.d, x };
  const since = typeof jwk.iat === 'number' ? new Date(jwk.iat * 1000) : changedAt;
  return { kid, since, sign: jwsSigner(material), material, publicJwk };
}

async function readKeyFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StartError(
      `SIGNING_KEYS_FILE ${file} cannot be read (${(error as NodeJS.ErrnoException).code}); make it readable for this user, or point the variable elsewhere`,
      {
        cause: error,
      },
    );
  }
}

/** If two processes start together, one creates the file and both use it. */
async function createKeyFile(file: string): Promise<boolean> {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint(jwk as JWK);
  const iat = Math.floor(Date.now() / 1000);
  const text = `${JSON.stringify({ keys: [{ ...jwk, kid, use: 'sig', alg: 'EdDSA', iat }] }, null, 2)}\n`;
  try {
    return await createSecretFile(file, text);
  } catch (error) {
    throw new StartError(
      `SIGNING_KEYS_FILE ${file} cannot be created (${(error as NodeJS.ErrnoException).code}); make its folder writable, or point the variable elsewhere`,
      { cause: error },
    );
  }
}
