import { hash } from 'node:crypto';

/** The one-shot `hash` function is several times faster than a Hash object, except when it returns a Buffer. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

export function sha256(text: string): Buffer {
  return Buffer.from(sha256Hex(text), 'hex');
}
