import { hash } from 'node:crypto';

/** The one-shot function is several times as fast as a Hash object, unless it is asked for a Buffer itself. */
export function sha256(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}
