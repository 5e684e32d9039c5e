import { type KeyObject, sign } from 'node:crypto';
import { createRequire } from 'node:module';

/** The signature of a text, at once where that is cheap. Ed25519 is deterministic: both ways give the same bytes. */
export type Signer = (text: string) => Buffer | Promise<Buffer>;

interface Sodium {
  crypto_sign_detached(signature: Buffer, message: Buffer, secretKey: Buffer): void;
}

/** Absent where it has no build for the platform. */
export const sodium = loadSodium();

/**
 * libsodium signs in less time than it takes to hand the work to another thread and to hear back. Where it has no
 * build for the platform, OpenSSL signs: that takes more than twice as long, so there it happens on the thread pool.
 */
export function ed25519Signer(privateKey: KeyObject): Signer {
  return sodium === undefined ? pooledSigner(privateKey) : sodiumSigner(sodium, privateKey);
}

export function pooledSigner(privateKey: KeyObject): Signer {
  return (text) =>
    new Promise((resolve, reject) => {
      sign(null, Buffer.from(text), privateKey, (error, signature) =>
        error ? reject(error) : resolve(signature),
      );
    });
}

function sodiumSigner({ crypto_sign_detached }: Sodium, privateKey: KeyObject): Signer {
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  // Memory of its own: what is taken from Node's pool is shared with other buffers, and copied with them.
  const secretKey = Buffer.alloc(64);
  secretKey.write(d, 0, 'base64url');
  secretKey.write(x, 32, 'base64url');
  return (text) => {
    const signature = Buffer.allocUnsafe(64);
    crypto_sign_detached(signature, Buffer.from(text), secretKey);
    return signature;
  };
}

function loadSodium(): Sodium | undefined {
  try {
    return createRequire(import.meta.url)('sodium-native') as Sodium;
  } catch {
    return undefined;
  }
}
