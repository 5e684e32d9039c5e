import { hash } from 'node:crypto';

/** The one-shot `hash` function is several times faster than a Hash object, except when it returns a Buffer. */
export function sha256Hex(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

export function sha256(text: string): Buffer {
  return Buffer.from(sha256Hex(text), 'hex');
}
