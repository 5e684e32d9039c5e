import type { Scope } from '@session-launch/contract/operation';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../errors.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { freshFor } from '../store/loading.ts';
import { type Asker, LookUps } from '../store/look-ups.ts';
import { apiKeyDigits, bearerToken, parseApiKey } from './api-key.ts';
import { findKeys, touchKeys, type UsableKey } from './store.ts';

/** Who calls with an API key. */
export interface KeyHolder {
  projectId: string;
  livemode: boolean;
}

/** API keys as requests meet them: from memory, at most five seconds behind the database. */
export class KeyRing {
  readonly remembered: LookUps<UsableKey>;
  readonly #database: Database;
  readonly #used = new Map<string, Date>();
  /** What the headers of callers hash to, for a moment: hashing would be a fiftieth of a mint. Strangers leave nothing here. */
  readonly #digests = new LRUCache<string, string>({ max: 1_000, ttl: freshFor, ttlResolution: 100 });

  constructor(database: Database, changes: Changes) {
    this.#database = database;
    this.remembered = new LookUps(10_000, (hashes) => findKeys(database, hashes));
    changes.onChange((change) => {
      if (change?.kind === 'project') return;
      this.remembered.forget(change && ((key) => key.id === change.id));
    });
  }

  /**
   * Who calls, and that the key has the scope; `any` is for what every key may do. Whatever makes a key unusable, the
   * answer is one and the same.
   */
  authenticate(
    authorization: string | undefined,
    scope: Scope | 'any',
    asker?: Asker,
  ): KeyHolder | Promise<KeyHolder> {
    if (authorization === undefined) throw unusable();
    const hashed = this.#digests.get(authorization);
    const hash = hashed ?? digestOf(authorization);
    const known = this.remembered.recall(hash);
    if (known === undefined) return this.#look(authorization, hash, scope, asker);
    const holder = this.#admit(known, scope);
    if (hashed === undefined) this.#digests.set(authorization, hash);
    return holder;
  }

  async #look(
    authorization: string,
    hash: string,
    scope: Scope | 'any',
    asker: Asker | undefined,
  ): Promise<KeyHolder> {
    // Only what can be a key is worth a query.
    if (parseApiKey(bearerToken(authorization) ?? '') === undefined) throw unusable();
    return this.#admit(await this.remembered.get(hash, asker), scope);
  }

  #admit(key: UsableKey | null, scope: Scope | 'any'): KeyHolder {
    const now = new Date();
    if (key === null || key.revokedAt !== null || !isAhead(key.expiresAt, now)) throw unusable();
    this.#used.set(key.id, now);
    if (scope !== 'any' && !key.scopes.includes(scope)) throw insufficient(scope, key.scopes);
    return { projectId: key.projectId, livemode: key.mode === 'live' };
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

function digestOf(authorization: string): string {
  const text = bearerToken(authorization);
  if (text === undefined) throw unusable();
  return apiKeyDigits(text);
}

/** A time that cannot be read counts as over. */
function isAhead(expiresAt: Date | null, now: Date): boolean {
  return expiresAt === null || expiresAt > now;
}

function insufficient(required: Scope, granted: readonly string[]): ApiError {
  return new ApiError('INSUFFICIENT_SCOPE', {
    message: `This API key lacks the scope ${required}.`,
    details: { required, granted },
  });
}

function unusable(): ApiError {
  return new ApiError('API_KEY_INVALID', { headers: { 'WWW-Authenticate': 'Bearer' } });
}
