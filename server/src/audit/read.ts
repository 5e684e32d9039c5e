import type { AuditEntry } from '@session-launch/contract/admin/audit';
import type { Change } from '@session-launch/contract/admin/changes';
import type { Via } from '../access/actor.ts';
import { isoTime } from '../primitives/iso-time.ts';
import type { Database, Statement } from '../store/database.ts';

export interface AuditFilter {
  /** Only entries of these projects; `undefined`: all entries, also those of no project. */
  projectIds?: readonly string[] | undefined;
  /** Whether entries of deleted projects with the same ids are included. */
  withDeleted?: boolean;
  operatorId?: string | undefined;
  action?: string | undefined;
}

export interface AuditPage {
  entries: AuditEntry[];
  nextCursor?: string;
}

interface Row {
  id: string;
  at: Date;
  operatorId: string;
  name: string;
  via: Via;
  action: string;
  projectId: string | null;
  target: string;
  /** Null if the entry does not match the filters that have no index. */
  changes: Change[] | null;
  requestId: string;
  address: string;
}

type Found = Row & { changes: Change[] };

/** Maximum entries that one page examines if some filters have no index. */
const maxExamined = 2_000;

const columns = `a.id, a.at, a.operator_id AS "operatorId", a.name, a.via, a.action, a.project_id AS "projectId", a.target,
  a.request_id AS "requestId", a.address`;

/** Reads at most $1 entries through an index: the primary key, or that of one operator ($3). The statement is planned for each call. */
export const list: Statement = {
  text: `
    SELECT ${columns}, CASE WHEN $4::text IS NULL OR a.action = $4 THEN a.changes END AS changes
      FROM audit a
     WHERE ($2::text IS NULL OR a.id < $2) AND ($3::text IS NULL OR a.operator_id = $3)
     ORDER BY a.id DESC LIMIT $1`,
};

/**
 * Reads at most $1 entries of the projects $5, each through the index of its project. Without $6, the entries of a deleted project whose id a
 * present one has are left out.
 */
export const listOfProjects: Statement = {
  text: `
    SELECT ${columns}, CASE WHEN ($3::text IS NULL OR a.operator_id = $3) AND ($4::text IS NULL OR a.action = $4)
                            THEN a.changes END AS changes
      FROM unnest($5::text[]) AS p(id)
      CROSS JOIN LATERAL (
        SELECT * FROM audit a WHERE a.project_id = p.id AND ($2::text IS NULL OR a.id < $2)
           AND ($6::boolean OR a.at >= coalesce((SELECT created_at FROM projects WHERE id = p.id), '-infinity'))
         ORDER BY a.id DESC LIMIT $1) a
     ORDER BY a.id DESC LIMIT $1`,
};

/** Newest first. A page may be short although it has a cursor. */
export async function listAudit(
  database: Database,
  { projectIds, withDeleted = false, operatorId, action }: AuditFilter,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<AuditPage> {
  const hasUnindexed = action !== undefined || (projectIds !== undefined && operatorId !== undefined);
  const most = hasUnindexed ? maxExamined : limit + 1;
  const values = [most, cursor ?? null, operatorId ?? null, action ?? null];
  const examined =
    projectIds === undefined
      ? await database.query<Row>('admin', list, values)
      : await database.query<Row>('admin', listOfProjects, [
          ...values,
          [...new Set(projectIds)],
          withDeleted,
        ]);
  const found = examined.filter((row): row is Found => row.changes !== null);
  const page = found.slice(0, limit);
  const reached = examined.length === most ? examined.at(-1) : undefined;
  const last = found.length > limit ? page.at(-1) : reached;
  return { entries: page.map(entryOf), ...(last === undefined ? {} : { nextCursor: last.id }) };
}

/** Entries per query of an export. */
const exportBatch = 500;

/** All entries that match, page by page, so that memory does not grow with their number. */
export async function* everyEntry(database: Database, filter: AuditFilter): AsyncGenerator<AuditEntry[]> {
  let cursor: string | undefined;
  do {
    const page = await listAudit(database, filter, { limit: exportBatch, cursor });
    yield page.entries;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

function entryOf({ id, at, operatorId, name, via, projectId, ...row }: Found): AuditEntry {
  const { action, target, changes, requestId, address } = row;
  return {
    auditId: id,
    at: isoTime(at),
    actor: { operatorId, name, via },
    action,
    ...(projectId === null ? {} : { projectId }),
    target,
    changes,
    requestId,
    address,
  };
}

export const latest: Statement = {
  name: 'latest_actor',
  text: 'SELECT name FROM audit WHERE target = $1 AND action = $2 ORDER BY id DESC LIMIT 1',
};

/** Name of the operator who last did this to the target. */
export async function latestActor(
  database: Database,
  target: string,
  action: string,
): Promise<string | undefined> {
  const [row] = await database.query<{ name: string }>('admin', latest, [target, action]);
  return row?.name;
}
