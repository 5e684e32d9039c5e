import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { StartError } from '@session-launch/process/start-error';
import { createSecretFile } from './secret-file.ts';

/** A token from a variable or, if that is unset, from a file. */
export interface TokenFile {
  file: string;
  /** What the token is for: `admin` or `runtime`. */
  of: string;
  variable: string;
}

/** Reads the token file; creates it, readable by its owner only, if it is missing. */
export async function openTokenFile(token: TokenFile): Promise<string> {
  const existing = await readToken(token);
  if (existing !== undefined) return existing;
  const { file, of, variable } = token;
  await createSecretFile(file, `${randomBytes(32).toString('base64url')}\n`).catch(
    (error: NodeJS.ErrnoException) => {
      throw new StartError(
        `the ${of} token file ${file} cannot be created (${error.code}); make its folder writable, or set ${variable}`,
        { cause: error },
      );
    },
  );
  return (await readToken(token)) as string;
}

async function readToken({ file, of, variable }: TokenFile): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartError(
      `the ${of} token file ${file} cannot be read (${error.code}); fix its permissions, or set ${variable}`,
    );
  });
  if (text === undefined) return undefined;
  const token = text.trim();
  if (/^[\x21-\x7e]{16,512}$/.test(token)) return token;
  throw new StartError(
    `the ${of} token file ${file} holds no usable token; remove it to create a new one, or set ${variable}`,
  );
}
