import type { Scope } from '@session-launch/contract/operation';
import { ApiError } from '../errors.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { Remembered } from '../store/remembered.ts';
import { apiKeyDigits, bearerToken, parseApiKey } from './api-key.ts';
import { type ApiKey, findKeyByHash, touchKeys } from './store.ts';

/** Who calls with an API key. */
export interface KeyHolder {
  projectId: string;
  livemode: boolean;
  scopes: readonly string[];
}

/** API keys as requests meet them: from memory, at most five seconds behind the database. */
export class KeyRing {
  readonly remembered: Remembered<ApiKey | null>;
  readonly #database: Database;
  readonly #used = new Map<string, Date>();

  constructor(database: Database, changes: Changes) {
    this.#database = database;
    this.remembered = new Remembered(10_000, (hash) => findKeyByHash(database.orm, Buffer.from(hash, 'hex')));
    changes.onChange((change) => {
      if (change?.kind === 'project') return;
      this.remembered.forget(change && ((key) => key === null || key.id === change.id));
    });
  }

  /** Whatever makes a key unusable, the answer is one and the same. */
  authenticate(authorization: string | undefined): KeyHolder | Promise<KeyHolder> {
    const text = bearerToken(authorization);
    if (text === undefined) throw unusable();
    const hash = apiKeyDigits(text);
    const known = this.remembered.recall(hash);
    return known === undefined ? this.#look(text, hash) : this.#admit(known);
  }

  async #look(text: string, hash: string): Promise<KeyHolder> {
    // Only what can be a key is worth a query.
    return this.#admit(parseApiKey(text) === undefined ? null : await this.remembered.get(hash));
  }

  #admit(key: ApiKey | null): KeyHolder {
    const now = new Date();
    // Not "until after": a date that cannot be read compares as neither, and must not live for ever.
    if (key === null || key.revokedAt !== null || (key.expiresAt !== null && !(key.expiresAt > now)))
      throw unusable();
    this.#used.set(key.id, now);
    return { projectId: key.projectId, livemode: key.mode === 'live', scopes: key.scopes };
  }

  /** Writes the times of last use that have come together. Called now and then, never by a request. */
  async flush(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = new Map(this.#used);
    this.#used.clear();
    try {
      await touchKeys(this.#database.orm, used);
    } catch (error) {
      for (const [id, at] of used) if (!this.#used.has(id)) this.#used.set(id, at);
      throw error;
    }
  }
}

export function requireScope(holder: KeyHolder, scope: Scope): void {
  if (holder.scopes.includes(scope)) return;
  throw new ApiError('INSUFFICIENT_SCOPE', {
    message: `This API key lacks the scope ${scope}.`,
    details: { required: scope, granted: holder.scopes },
  });
}

function unusable(): ApiError {
  return new ApiError('API_KEY_INVALID', { headers: { 'WWW-Authenticate': 'Bearer' } });
}
