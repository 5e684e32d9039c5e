import { timingSafeEqual } from 'node:crypto';
import { bearerCheck } from '@session-launch/process/bearer-token';
import type { Actor } from '../audit/actor.ts';
import { sha256, sha256Hex } from '../primitives/sha256.ts';
import { type LookUpClient, LookUps } from '../store/cache/look-ups.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { LastUses } from '../store/last-uses.ts';
import { deleteExpired, findLogins, type Login, touchLogins } from './logins.ts';
import { bootstrap, type KnownOperator, operatorsByToken } from './operators.ts';
import { isCookie, isOperatorToken, tokenTag } from './secrets.ts';

/** Who sends a request, without what describes the request itself. */
export type Caller = Omit<Actor, 'address' | 'requestId'>;

/** Milliseconds after which a login ends: `loginMs` after the sign-in, or `idleMs` without a use. */
export const loginMs = 12 * 3_600_000;
const idleMs = 60 * 60_000;
/** Milliseconds that an idle login is kept: another process may have used it without having written that yet. */
const idleMarginMs = 60_000;

/** Logins that were last used at this time or earlier are idle. */
export function idleSince(now: Date): Date {
  return new Date(now.getTime() - idleMs);
}

/** Authenticates operators by token or cookie, from caches that are at most five seconds behind the database. */
export class Authenticator {
  readonly #database: Database;
  readonly #adminToken: string;
  readonly #isAdminToken: (authorization: string) => boolean;
  readonly #tokens: LookUps<KnownOperator>;
  readonly #logins: LookUps<Login>;
  readonly #used: LastUses;

  constructor(database: Database, changes: Changes, adminToken: string) {
    this.#database = database;
    this.#used = new LastUses((used) => touchLogins(database, used));
    this.#adminToken = adminToken;
    this.#isAdminToken = bearerCheck([adminToken]);
    this.#tokens = new LookUps(1_000, (hashes) => operatorsByToken(database, hashes));
    this.#logins = new LookUps(1_000, (hashes) => findLogins(database, hashes));
    changes.onChange((change) => {
      if (change === undefined || change.kind === 'operator') {
        const id = change?.id;
        this.#tokens.forget((operator) => id === undefined || operator.operatorId === id);
        this.#logins.forget(({ operator }) => id === undefined || operator?.operatorId === id);
      } else if (change.kind === 'login') this.#logins.forget(({ loginId }) => loginId === change.id);
    });
  }

  /** The operator who has this token. */
  async byToken(token: string, client: LookUpClient): Promise<Caller | undefined> {
    const isAdminToken = this.#isAdminToken(`Bearer ${token}`);
    const found = isOperatorToken(token) ? await this.#tokens.get(sha256Hex(token), client) : null;
    if (isAdminToken) return { ...bootstrap, via: 'token' };
    return found === null ? undefined : { ...found, via: 'token', tokenHash: sha256(token) };
  }

  /** The operator whose browser has this cookie. With `isInBackground`, the request does not count as a use of the login. */
  async byCookie(cookie: string, client: LookUpClient, isInBackground = false): Promise<Caller | undefined> {
    const login = isCookie(cookie) ? await this.#logins.get(sha256Hex(cookie), client) : null;
    if (login === null || !this.#isValid(login, cookie)) return undefined;
    const { loginId, createdAt, expiresAt, via } = login;
    if (!isInBackground) {
      login.lastSeenAt = new Date();
      this.#used.note(loginId, login.lastSeenAt);
    }
    return { ...(login.operator ?? bootstrap), via, login: { loginId, createdAt, expiresAt } };
  }

  #isValid({ loginId, operator, expiresAt, lastSeenAt, tokenTag: tag }: Login, cookie: string): boolean {
    const now = new Date();
    const idle = idleSince(now);
    const isInUse = lastSeenAt > idle || (this.#used.get(loginId) ?? idle) > idle;
    if (expiresAt <= now || !isInUse) return false;
    return operator !== null || (tag !== null && timingSafeEqual(tag, tokenTag(cookie, this.#adminToken)));
  }

  /** Writes the collected times of last use. Called periodically, and before logins are listed. */
  flush(): Promise<void> {
    return this.#used.flush();
  }

  /** Deletes logins and sign-in links that have expired. */
  async clean(): Promise<void> {
    const now = new Date();
    await deleteExpired(this.#database, now, new Date(idleSince(now).getTime() - idleMarginMs));
  }
}
