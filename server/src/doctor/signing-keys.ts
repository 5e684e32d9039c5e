import { readFile } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { type Finding, findingsOf } from './finding.ts';
import { sharedSecret } from './secret-file.ts';

const { ok, warn, fail } = findingsOf('signing keys');

export async function checkSigningKeys(config: Config): Promise<Finding> {
  const file = config.signingKeysFile;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return missing(config);
    return fail(`${file} cannot be read (${code})`, 'run as its owner, or set SIGNING_KEYS_FILE');
  }
  // The parser that the service uses. Imported lazily: no other command needs cryptography.
  const { parseSigningKeys } = await import('../tokens/signing-keys.ts');
  try {
    const { all } = await parseSigningKeys(text, file);
    const count = all.length === 1 ? 'one key' : `${all.length} keys, of which the first signs`;
    return (await sharedSecret('signing keys', file)) ?? ok(`${file} holds ${count}`);
  } catch (error) {
    return fail((error as Error).message, 'restore the file from a backup, if there is one');
  }
}

function missing(config: Config): Finding {
  const message = `${config.signingKeysFile} will be created at the first start`;
  return config.database.engine === 'embedded'
    ? ok(message)
    : warn(
        message,
        'give every process that shares the database the same file, by copying it or with SIGNING_KEYS_FILE',
      );
}
