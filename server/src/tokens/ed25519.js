// @ts-check
// Signing with Ed25519, for the event loop and for the signing thread. Plain JavaScript, because a thread is started from its
// file, and the tests start it from the sources.
import { createPrivateKey, sign } from 'node:crypto';
import { createRequire } from 'node:module';

/**
 * The header of every token, as JSON, and the private key, as JSON Web Keys write it.
 * @typedef {{ header: string, d: string, x: string }} KeyMaterial
 */

/**
 * @typedef {object} Sodium
 * @property {(signature: Buffer, message: Buffer, secretKey: Buffer) => void} crypto_sign_detached
 */

/** What signs faster here. On x64 libsodium takes half the time of OpenSSL; on arm64, where it has no code of its own, a sixth more. */
const preferred = process.arch === 'x64' ? loadSodium() : null;

/**
 * Makes compact JWS of payloads. Ed25519 is deterministic: every way to sign gives the same bytes.
 * @param {KeyMaterial} material
 * @param {Sodium | null} [library] null signs with OpenSSL
 * @returns {(payload: string) => string}
 */
export function jwsSigner(material, library = preferred) {
  const head = `${Buffer.from(material.header).toString('base64url')}.`;
  const signature = library === null ? opensslSigner(material) : sodiumSigner(library, material);
  return (payload) => {
    const signed = head + Buffer.from(payload).toString('base64url');
    return `${signed}.${signature(Buffer.from(signed, 'latin1')).toString('base64url')}`;
  };
}

/**
 * @param {KeyMaterial} material
 * @returns {(message: Buffer) => Buffer}
 */
function opensslSigner({ d, x }) {
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  return (message) => sign(null, message, key);
}

/**
 * @param {Sodium} library
 * @param {KeyMaterial} material
 * @returns {(message: Buffer) => Buffer}
 */
function sodiumSigner({ crypto_sign_detached }, { d, x }) {
  // Memory of its own: what is taken from Node's pool is shared with other buffers, and copied with them.
  const secretKey = Buffer.alloc(64);
  secretKey.write(d, 0, 'base64url');
  secretKey.write(x, 32, 'base64url');
  const signature = Buffer.alloc(64);
  return (message) => {
    crypto_sign_detached(signature, message, secretKey);
    return signature;
  };
}

/**
 * Null where it has no build for the platform.
 * @returns {Sodium | null}
 */
export function loadSodium() {
  try {
    return createRequire(import.meta.url)('sodium-native');
  } catch {
    return null;
  }
}
