// @ts-check
// Ed25519 signing, used on the event loop and in the signing thread. Plain JavaScript, because a worker thread is started from its file
// and tests start it from the sources.
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

/** The faster library on this platform: on x64, libsodium takes half the time of OpenSSL; on arm64, one sixth more. */
const preferred = process.arch === 'x64' ? loadSodium() : null;

/**
 * Returns a function that makes compact JWS. Ed25519 is deterministic, so both libraries produce the same bytes.
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
  // `alloc` outside Node's shared buffer pool, so that the secret key is not copied together with other buffers.
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
 * Returns null if the package has no build for this platform.
 * @returns {Sodium | null}
 */
export function loadSodium() {
  try {
    return createRequire(import.meta.url)('sodium-native');
  } catch {
    return null;
  }
}
