import { randomInt } from 'node:crypto';
import type { KeyMode } from '@session-launch/contract/admin/keys';
import { sha256, sha256Hex } from '../primitives/sha256.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 30 base62 symbols carry 178 random bits. */
const secretLength = 30;
const checksumLength = 6;

/** Accepts any prefix, so that keys keep working after API_KEY_PREFIX is changed. */
const keyForm = /^([A-Za-z0-9_-]{1,32}_(test|live)_)([A-Za-z0-9]{30})([A-Za-z0-9]{6})$/;

export function generateApiKey(prefix: string, mode: KeyMode): string {
  // randomInt is uniform; a random byte modulo 62 would favour the first symbols.
  const secret = Array.from({ length: secretLength }, () => base62[randomInt(base62.length)]).join('');
  const body = `${prefix}_${mode}_${secret}`;
  return body + checksum(body);
}

/** Whether the checksum matches. Rejects typos and guesses without a database query; it does not authenticate. */
export function parseApiKey(text: string): { mode: KeyMode } | undefined {
  const [, head, mode, secret, sum] = keyForm.exec(text) ?? [];
  if (head === undefined || checksum(`${head}${secret}`) !== sum) return undefined;
  return { mode: mode === 'live' ? 'live' : 'test' };
}

/** Hex SHA-256 of a key. A fast hash is sufficient, because the secret has too many random bits to be guessed. */
export function apiKeyDigits(text: string): string {
  return sha256Hex(text);
}

/** The same digest as bytes, as stored in the database. */
export function hashApiKey(text: string): Buffer {
  return Buffer.from(apiKeyDigits(text), 'hex');
}

/** A hint by which a key is recognised in listings: `sl_test_…Q3fk`. */
export function keyHint(text: string): string {
  const [, head, , , sum] = keyForm.exec(text) ?? [];
  return head === undefined || sum === undefined ? '…' : `${head}…${sum.slice(-4)}`;
}

/** Matches the token of an `Authorization: Bearer` header (RFC 6750). */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
}

function checksum(body: string): string {
  // 48 bits fit exactly into a JavaScript number and exceed six base62 symbols.
  let rest = sha256(body).readUIntBE(0, 6);
  let symbols = '';
  for (let i = 0; i < checksumLength; i++) {
    symbols += base62[rest % base62.length];
    rest = Math.floor(rest / base62.length);
  }
  return symbols;
}
