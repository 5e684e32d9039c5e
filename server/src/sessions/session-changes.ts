import type { EndReason } from '@session-launch/contract/session';
import { Recorder, type RecorderOptions } from '../recording/recorder.ts';
import type { Database, Statement } from '../store/database.ts';
import { isTimeout } from '../store/database-errors.ts';
import { type Cell, rowArray } from '../store/row-text.ts';
import type { SessionRow } from './session-row.ts';

/** Maximum milliseconds that changes of one project wait for each lock: all others of the process wait as well. Below the statement timeout. */
const lockMs = 1_000;
/**
 * The same for a batch of several projects, which keeps the counters locked that it has reached: if it waited as long as the changes of one
 * project, those of other processes would time out behind it. A batch of 256 changes takes about 100 ms.
 */
const mixedLockMs = 200;

interface Connect {
  sessionId: string;
  projectId: string;
  runtimeId: string;
  client: string | undefined;
  /** A random number, by which a repeated statement finds the row of its earlier attempt. */
  attempt: number;
}

interface End {
  sessionId: string;
  projectId: string;
  reason: EndReason;
}

export type SessionChange = Connect | End;

export type Refusal = 'unknown' | 'connected' | 'ended' | 'limit' | 'client_limit';

export type Connected = { outcome: 'active'; session: SessionRow } | { outcome: Refusal };

export type Ended =
  | { outcome: 'ended_now' | 'ended_before'; session: SessionRow; added: number }
  | { outcome: 'unknown' };

type Changed = Connected | Ended;

/** Stores connects and ends of sessions. Those that arrive while a write is in flight share the next one, as mints do. */
export class SessionChanges {
  readonly #recorder: Recorder<SessionChange, Changed>;

  constructor(database: Database, options: RecorderOptions = {}) {
    this.#recorder = new Recorder(
      database,
      {
        send: (changes, isRetry) => send(database, changes, isRetry),
        weight: ({ sessionId, projectId }) => sessionId.length + projectId.length,
        split: (changes, error) => (isTimeout(error) ? byProject(changes) : changes.map((one) => [one])),
      },
      options,
    );
  }

  connect(connect: Omit<Connect, 'attempt'>): Promise<Connected> {
    const attempt = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    return this.#recorder.record({ ...connect, attempt }) as Promise<Connected>;
  }

  end(end: End): Promise<Ended> {
    return this.#recorder.record(end) as Promise<Ended>;
  }

  /** Resolves when every submitted change has settled. */
  drain(): Promise<void> {
    return this.#recorder.drain();
  }
}

/** After a timeout, the changes of a project whose rows are locked must not fail those of other projects. */
function byProject(changes: readonly SessionChange[]): SessionChange[][] {
  const parts = new Map<string, SessionChange[]>();
  for (const change of changes) {
    const part = parts.get(change.projectId);
    if (part) part.push(change);
    else parts.set(change.projectId, [change]);
  }
  return [...parts.values()];
}

export const change: Statement = {
  name: 'change_sessions',
  text: 'SELECT n, outcome, session, added FROM change_sessions($1, $2, $3, $4)',
};

type Row = { n: number } & Changed;

async function send(database: Database, changes: SessionChange[], isRetry: boolean): Promise<Changed[]> {
  const isMixed = changes.some(({ projectId }) => projectId !== changes[0]!.projectId);
  const values = [...encodeChanges(changes), isRetry, isMixed ? mixedLockMs : lockMs];
  const results = new Array<Changed>(changes.length).fill({ outcome: 'unknown' });
  for (const row of await database.query<Row>('everyday', change, values)) results[row.n] = row;
  return results;
}

/** Encodes changes as rows of type `session_change`, and the projects that they name. */
export function encodeChanges(changes: readonly SessionChange[]): [changes: string, projects: string] {
  const sessions = new Map<string, number>();
  const projects = new Map<string, number>();
  const rows = changes.map((change): Cell[] => {
    const { sessionId, projectId } = change;
    const session = numberOf(sessions, `${projectId} ${sessionId}`);
    const common = [sessionId, projectId, session, numberOf(projects, projectId)];
    return 'reason' in change
      ? [...common, null, null, null, change.reason]
      : [...common, change.runtimeId, change.client ?? null, change.attempt, null];
  });
  return [rowArray(rows), `{${[...projects.keys()].join(',')}}`];
}

/** Numbers names in the order of their first appearance, from 1. */
function numberOf(names: Map<string, number>, name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size + 1);
  return names.size;
}
