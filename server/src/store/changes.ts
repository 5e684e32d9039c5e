import { sql } from 'drizzle-orm';
import type { Database, Orm } from './database.ts';

/** What changed, so that every process forgets what it had remembered of it. */
type Change = { kind: 'project'; id: string } | { kind: 'key'; id: string };

const channel = 'session_launch_changes';

export interface Changes {
  /** Part of the transaction that makes the change: other processes hear of it when that commits. */
  announce(tx: Orm, change: Change): Promise<void>;
  /** After the commit: this process, which must not wait for its own notification. */
  apply(change: Change): void;
  /** `undefined` means: anything may have changed. */
  onChange(listener: (change: Change | undefined) => void): void;
}

export async function openChanges(database: Database): Promise<Changes> {
  const listeners: Array<(change: Change | undefined) => void> = [];
  const tell = (change: Change | undefined) => {
    for (const listener of listeners) listener(change);
  };
  await database.listen(
    channel,
    (payload) => tell(parse(payload)),
    () => tell(undefined),
  );
  return {
    announce: async (tx, change) => {
      await tx.execute(sql`SELECT pg_notify(${channel}, ${`${change.kind} ${change.id}`})`);
    },
    apply: tell,
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

function parse(payload: string): Change | undefined {
  const [kind, id] = payload.split(' ');
  return id !== undefined && (kind === 'project' || kind === 'key') ? { kind, id } : undefined;
}
