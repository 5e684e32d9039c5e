import type { Database, Statement, Transaction } from './database.ts';

/** A change notification, by which every process invalidates its caches. */
type Change = { kind: 'project'; id: string } | { kind: 'key'; id: string };

const channel = 'session_launch_changes';

export const notify: Statement = { name: 'notify', text: 'SELECT pg_notify($1, $2)' };

export interface Changes {
  /**
   * Runs a transaction and announces its changes. Other processes are notified on commit. This process invalidates its caches before the
   * promise resolves, without waiting for its own notification.
   */
  commit<T>(work: (tx: Transaction, changed: (change: Change) => void) => Promise<T>): Promise<T>;
  /** `undefined`: anything may have changed. */
  onChange(listener: (change: Change | undefined) => void): void;
}

export async function openChanges(database: Database): Promise<Changes> {
  const listeners: Array<(change: Change | undefined) => void> = [];
  const announce = (change: Change | undefined) => {
    for (const listener of listeners) listener(change);
  };
  await database.listen(
    channel,
    (payload) => announce(parse(payload)),
    () => announce(undefined),
  );
  return {
    commit: async (work) => {
      let changes: Change[] = [];
      const result = await database.transaction(async (tx) => {
        changes = [];
        const result = await work(tx, (change) => changes.push(change));
        for (const { kind, id } of changes) await tx.query(notify, [channel, `${kind} ${id}`]);
        return result;
      });
      for (const change of changes) announce(change);
      return result;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

function parse(payload: string): Change | undefined {
  const [kind, id] = payload.split(' ');
  return id !== undefined && (kind === 'project' || kind === 'key') ? { kind, id } : undefined;
}
