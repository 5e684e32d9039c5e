import type { Logger } from 'pino';
import { openSecret, resealSecret } from '../outbound/sealed-secret.ts';
import type { Database } from '../store/database.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import { listSealed, storeSealed } from './webhooks.ts';

/**
 * Seals the secrets of webhooks with the current signing key, so that older keys can be removed from their file. Called once by each
 * process: repeating it would make processes with different current keys undo each other's work during a rotation.
 */
export async function resealSecrets(database: Database, keys: SigningKeys, log: Logger): Promise<void> {
  for (const row of await listSealed(database, keys.current.kid)) {
    const { id, secret, former } = row;
    try {
      const next = resealSecret(keys, id, secret) ?? secret;
      const nextFormer = former && (resealSecret(keys, id, former) ?? former);
      if (openSecret(keys, id, next) === undefined)
        log.error(
          { webhook: id },
          'the secret of a webhook cannot be read: the signing key that sealed it is not in SIGNING_KEYS_FILE; restore the key and restart, or create a new secret',
        );
      else await storeSealed(database, row, next, nextFormer);
    } catch (error) {
      log.error({ webhook: id, err: error }, 'the secret of a webhook cannot be read; create a new secret');
    }
  }
}
