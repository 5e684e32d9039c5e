import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ApiError } from '../errors.ts';
import { StartError } from '../store/database.ts';
import { createSecretFile } from '../store/secret-file.ts';

/** Compares hashes, so that the time it takes tells nothing about the token or its length. */
export function requireAdmin(token: string): (authorization: string | undefined) => void {
  const expected = digest(token);
  return (authorization) => {
    const sent = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    if (timingSafeEqual(digest(sent), expected)) return;
    throw new ApiError('ADMIN_TOKEN_INVALID', { headers: { 'WWW-Authenticate': 'Bearer' } });
  };
}

/** The token of the token file, which is made, readable by its owner only, when it is missing. */
export async function openTokenFile(file: string): Promise<string> {
  const existing = await readToken(file);
  if (existing !== undefined) return existing;
  await createSecretFile(file, `${randomBytes(32).toString('base64url')}\n`);
  return (await readToken(file)) as string;
}

async function readToken(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartError(
      `the admin token file ${file} cannot be read (${error.code}); fix its permissions, or set ADMIN_TOKEN`,
    );
  });
  if (text === undefined) return undefined;
  const token = text.trim();
  if (/^[\x21-\x7e]{16,512}$/.test(token)) return token;
  throw new StartError(
    `the admin token file ${file} holds no usable token; remove it to have a new one made, or set ADMIN_TOKEN`,
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
