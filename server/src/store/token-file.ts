import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { StartError } from './database.ts';
import { createSecretFile } from './secret-file.ts';

/** A token that stands in a file, unless a variable gives it. */
export interface TokenFile {
  file: string;
  /** Whose it is: `admin`, `runtime`. */
  of: string;
  variable: string;
}

/** The token of a token file, which is made, readable by its owner only, when it is missing. */
export async function openTokenFile(token: TokenFile): Promise<string> {
  const existing = await readToken(token);
  if (existing !== undefined) return existing;
  const { file, of, variable } = token;
  await createSecretFile(file, `${randomBytes(32).toString('base64url')}\n`).catch(
    (error: NodeJS.ErrnoException) => {
      throw new StartError(
        `the ${of} token file ${file} cannot be made (${error.code}); make its folder writable, or set ${variable}`,
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
    `the ${of} token file ${file} holds no usable token; remove it to have a new one made, or set ${variable}`,
  );
}
