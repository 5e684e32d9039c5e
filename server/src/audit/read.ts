import type { AuditEntry } from '@session-launch/contract/admin/audit';
import type { FieldChange } from '@session-launch/contract/admin/changes';
import { isoTime } from '../primitives/iso-time.ts';
import type { Database, Statement } from '../store/database.ts';
import type { Via } from './actor.ts';

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
  changes: FieldChange[] | null;
  requestId: string;
  address: string;
}

type Found = Row & { changes: FieldChange[] };

/** Maximum entries that one page examines if some filters have no index. */
const maxExamined = 2_000;
/** The same of all projects together, as long as one page of each is fewer. */
const maxExaminedOfProjects = 20_000;

const columns = `a.id, a.at, a.operator_id AS "operatorId", a.name, a.via, a.action, a.project_id AS "projectId", a.target,
  a.request_id AS "requestId", a.address`;

/** Sorts behind every id. */
const behindAll = '~';

/** Reads at most $1 entries with an id below $2. The statements are planned at each call. */
export const list: Statement = {
  text: `
    SELECT ${columns}, CASE WHEN $3::text IS NULL OR a.action = $3 THEN a.changes END AS changes
      FROM audit a WHERE a.id < $2 ORDER BY a.id DESC LIMIT $1`,
};

/**
 * The same of operator $4. Entries of the next operator in the index may fill the limit and are left out. With an equality in the inner query,
 * the planner would assume few entries while it has no statistics, and read and sort all of them instead of the end of the index.
 */
export const listOfOperator: Statement = {
  text: `
    SELECT ${columns}, CASE WHEN $3::text IS NULL OR a.action = $3 THEN a.changes END AS changes
      FROM (SELECT * FROM audit a WHERE (a.operator_id, a.id) < ($4::text, $2)
             ORDER BY a.operator_id DESC, a.id DESC LIMIT $1) a
     WHERE a.operator_id = $4 ORDER BY a.id DESC`,
};

/**
 * Reads at most $1 entries of each of the projects $5, in the way of the statement above. Without $6, the entries of a deleted project whose
 * id a present one has are left out.
 */
export const listOfProjects: Statement = {
  text: `
    SELECT ${columns}, CASE WHEN ($3::text IS NULL OR a.action = $3) AND ($4::text IS NULL OR a.operator_id = $4)
                            THEN a.changes END AS changes
      FROM unnest($5::text[]) AS p(id)
      LEFT JOIN projects present ON present.id = p.id
      CROSS JOIN LATERAL (
        SELECT * FROM audit a WHERE (a.project_id, a.id) < (p.id, $2)
         ORDER BY a.project_id DESC, a.id DESC LIMIT $1) a
     WHERE a.project_id = p.id AND ($6::boolean OR a.at >= coalesce(present.created_at, '-infinity'))
     ORDER BY a.id DESC LIMIT $1`,
};

/** Newest first. A page may be short although it has a cursor. */
export async function listAudit(
  database: Database,
  { projectIds, withDeleted = false, operatorId, action }: AuditFilter,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<AuditPage> {
  const hasUnindexed = action !== undefined || (projectIds !== undefined && operatorId !== undefined);
  const projects = [...new Set(projectIds)];
  const share = Math.floor(maxExaminedOfProjects / (projects.length || 1));
  const most = hasUnindexed ? Math.max(limit + 1, Math.min(maxExamined, share)) : limit + 1;
  const values = [most, cursor ?? behindAll, action ?? null];
  const read = (statement: Statement, ...further: unknown[]) =>
    database.query<Row>('admin', statement, [...values, ...further]);
  const ofAll = () => (operatorId === undefined ? read(list) : read(listOfOperator, operatorId));
  const examined = await (projectIds === undefined
    ? ofAll()
    : read(listOfProjects, operatorId ?? null, projects, withDeleted));
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
