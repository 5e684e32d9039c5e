import { hash } from 'node:crypto';

/** The one-shot function is several times as fast as a Hash object, unless it is asked for a Buffer itself. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

export function sha256(text: string): Buffer {
  return Buffer.from(sha256Hex(text), 'hex');
}
