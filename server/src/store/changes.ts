import { randomUUID } from 'node:crypto';
import type { Kind } from '@session-launch/contract/resources';
import type { Database, Statement, Transaction } from './database.ts';

/** A change notification, by which every process invalidates its caches and tells the consoles that are open. */
export interface Change {
  kind: Kind;
  /** For a user who is being forgotten, the beginning of a hash. */
  id: string;
  /** The project it belongs to; for a project, its own id. */
  projectId?: string;
  version?: number;
  /** Name of the operator who made it. */
  by?: string;
}

const channel = 'session_launch_changes';

export const notify: Statement = {
  name: 'notify_all',
  text: 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload',
};

export interface Changes {
  /**
   * Runs a transaction and announces its changes. Other processes are notified on commit. This process invalidates its caches before the
   * promise resolves, without waiting for its own notification. `last` runs directly before the COMMIT, after the notification.
   */
  commit<T>(
    work: (
      tx: Transaction,
      changed: (change: Change) => void,
      last: (work: () => Promise<void>) => void,
    ) => Promise<T>,
  ): Promise<T>;
  /** `undefined`: anything may have changed. */
  onChange(listener: (change: Change | undefined) => void): void;
}

/** Whether a change may alter what mints and the catalog read of projects. */
export function isOfProjects(change: Change | undefined): boolean {
  return change === undefined || change.kind === 'project' || change.kind === 'experience';
}

export async function openChanges(database: Database): Promise<Changes> {
  const listeners: Array<(change: Change | undefined) => void> = [];
  const announce = (change: Change | undefined) => {
    for (const listener of listeners) listener(change);
  };
  /** Marks the notifications of this process, which has announced its changes already. */
  const self = randomUUID();
  await database.listen(
    channel,
    (payload) => {
      const { from, ...change } = parse(payload) ?? { from: undefined };
      if (from !== self) announce('kind' in change ? change : undefined);
    },
    () => announce(undefined),
  );
  return {
    commit: async (work) => {
      let changes: Change[] = [];
      let isCommitting = false;
      const transaction = database.transaction(async (tx) => {
        changes = [];
        let last: (() => Promise<void>) | undefined;
        const result = await work(
          tx,
          (change) => changes.push(withProject(change)),
          (work) => {
            last = work;
          },
        );
        // No other process uses the embedded engine.
        if (changes.length > 0 && database.engine === 'postgres') {
          const payloads = changes.map((change) => JSON.stringify({ ...change, from: self }));
          await tx.query(notify, [channel, payloads]);
        }
        await last?.();
        isCommitting = true;
        return result;
      });
      const result = await transaction.catch((error) => {
        // The result of the COMMIT may have been lost.
        if (isCommitting) announce(undefined);
        throw error;
      });
      for (const change of changes) announce(change);
      return result;
    },
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

function withProject(change: Change): Change {
  return change.kind === 'project' ? { ...change, projectId: change.id } : change;
}

/** Processes of version 0.1.0 send `kind id`. They cannot parse the JSON of this version, and clear all of their caches. */
function parse(payload: string): (Change & { from?: string }) | undefined {
  const [, kind, id] = /^(project|key) (\S+)$/.exec(payload) ?? [];
  if (kind !== undefined && id !== undefined) return withProject({ kind: kind as 'project' | 'key', id });
  try {
    return JSON.parse(payload) as Change;
  } catch {
    return undefined;
  }
}
