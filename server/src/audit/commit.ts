import type { Change, Changes } from '../store/changes.ts';
import type { Transaction } from '../store/database.ts';
import type { Actor } from './actor.ts';
import { type AuditedChange, recordAudit } from './record.ts';

/** What a transaction of the admin API reports, besides its result. */
export interface Write {
  /** Announces a change to every process. `by` is added. */
  changed(change: Change): void;
  /** Records a change in the audit, under the action of the operation unless another is given. */
  audit(entry: Omit<AuditedChange, 'action'> & { action?: string }): void;
  /** Runs a statement after those of the audit and the notification, directly before the COMMIT, because it blocks other requests. */
  last(work: () => Promise<void>): void;
}

/** The request that a transaction belongs to: a call of `mount`. */
export interface Authored {
  actor: Actor;
  /** The audit action of the operation. */
  action: string | undefined;
}

/** Runs a transaction, records its audit entries in it, and announces its changes when it is committed. */
export type Commit = <T>(
  authored: Authored,
  work: (tx: Transaction, write: Write) => Promise<T>,
) => Promise<T>;

export function openCommits(changes: Changes): Commit {
  return ({ actor, action }, work) =>
    changes.commit(async (tx, announce, last) => {
      const entries: AuditedChange[] = [];
      const result = await work(tx, {
        changed: (change) => announce({ ...change, by: actor.name }),
        audit: (entry) => {
          const named = entry.action ?? action;
          if (named === undefined) throw new Error('an operation without an audit action changes something');
          entries.push({ ...entry, action: named });
        },
        last,
      });
      await recordAudit(tx, actor, entries);
      return result;
    });
}
