import type { Scope } from '@session-launch/contract/operation';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../primitives/errors.ts';
import { freshFor } from '../store/cache/loading.ts';
import { type LookUpClient, LookUps } from '../store/cache/look-ups.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { LastUses } from '../store/last-uses.ts';
import { apiKeyDigits, bearerToken, parseApiKey } from './api-key.ts';
import { findKeys, touchKeys, type UsableKey } from './keys.ts';

/** The caller identified by an API key. */
export interface KeyHolder {
  projectId: string;
  livemode: boolean;
}

/** Authenticates requests by API key, from a cache that is at most five seconds behind the database. */
export class KeyRing {
  readonly remembered: LookUps<UsableKey>;
  readonly #used: LastUses;
  /** Caches the digests of recent valid headers: hashing costs 2 % of a mint. Unknown keys are not cached here. */
  readonly #digests = new LRUCache<string, string>({ max: 1_000, ttl: freshFor, ttlResolution: 100 });

  constructor(database: Database, changes: Changes) {
    this.#used = new LastUses((used) => touchKeys(database, used));
    this.remembered = new LookUps(10_000, (hashes) => findKeys(database, hashes));
    changes.onChange((change) => {
      // A project may have been deleted.
      if (change?.kind === 'project') this.remembered.forget((key) => key.projectId === change.id);
      else if (change === undefined) this.remembered.forget();
      else if (change.kind === 'key') this.remembered.forget((key) => key.id === change.id);
    });
  }

  /**
   * Returns the caller and checks that the key has the scope (`any`: no scope required). Every unusable key gets the same 401.
   */
  authenticate(
    authorization: string | undefined,
    scope: Scope | 'any',
    client?: LookUpClient,
  ): KeyHolder | Promise<KeyHolder> {
    if (authorization === undefined) throw unusable();
    const hashed = this.#digests.get(authorization);
    const hash = hashed ?? digestOf(authorization);
    const known = this.remembered.recall(hash);
    if (known === undefined) return this.#look(authorization, hash, scope, client);
    const holder = this.#admit(known, scope);
    if (hashed === undefined) this.#digests.set(authorization, hash);
    return holder;
  }

  async #look(
    authorization: string,
    hash: string,
    scope: Scope | 'any',
    client: LookUpClient | undefined,
  ): Promise<KeyHolder> {
    // Only a well-formed key is worth a query.
    if (parseApiKey(bearerToken(authorization) ?? '') === undefined) throw unusable();
    return this.#admit(await this.remembered.get(hash, client), scope);
  }

  #admit(key: UsableKey | null, scope: Scope | 'any'): KeyHolder {
    const now = new Date();
    if (key === null || key.revokedAt !== null || !isAhead(key.expiresAt, now)) throw unusable();
    this.#used.note(key.id, now);
    if (scope !== 'any' && !key.scopes.includes(scope)) throw insufficient(scope, key.scopes);
    return { projectId: key.projectId, livemode: key.mode === 'live' };
  }

  /** Writes the collected times of last use. Called periodically, and by requests of the admin API that return keys. */
  flush(): Promise<void> {
    return this.#used.flush();
  }
}

function digestOf(authorization: string): string {
  const text = bearerToken(authorization);
  if (text === undefined) throw unusable();
  return apiKeyDigits(text);
}

/** An unparsable time counts as expired. */
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
