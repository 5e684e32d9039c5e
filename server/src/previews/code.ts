import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../primitives/sha256.ts';

const randomByteCount = 20;
const codeForm = /^[A-Za-z0-9_-]{27}$/;

/** A new code of a preview link: 160 random bits. */
export function newPreviewCode(): string {
  return randomBytes(randomByteCount).toString('base64url');
}

/** Hex SHA-256 of a code; `undefined` if the text cannot be one. */
export function previewCodeDigits(code: string): string | undefined {
  return codeForm.test(code) ? sha256Hex(code) : undefined;
}
