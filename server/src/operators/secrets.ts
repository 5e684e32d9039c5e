import { createHmac, randomBytes } from 'node:crypto';

const symbols = [...'0123456789abcdefghjkmnpqrstvwxyz'];

/** A new token of an operator: 32 symbols of 5 random bits, 160 bits in all. */
export function newOperatorToken(): string {
  return `slo_${Array.from(randomBytes(32), (byte) => symbols[byte & 31]).join('')}`;
}

/** Whether a text has the form of an operator's token. Other texts are not looked up. */
export function isOperatorToken(text: string): boolean {
  return /^slo_[0-9a-z]{32}$/.test(text);
}

/** A new code of a sign-in link: 128 random bits. */
export function newCode(): string {
  return randomBytes(16).toString('base64url');
}

/** A new cookie: 256 random bits. */
export function newCookie(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text has the form of a cookie. */
export function isCookie(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/**
 * Binds a login or a sign-in link to ADMIN_TOKEN, so that it ends when the token is replaced. The key is the cookie or the code, which is
 * not stored: the stored result is of no use for guessing the token.
 */
export function tokenTag(secret: string, adminToken: string): Buffer {
  return createHmac('sha256', secret).update(adminToken).digest();
}
