import type { FieldChange } from '@session-launch/contract/admin/changes';
import { recordAudit } from '../../src/audit/record.ts';
import type { Database } from '../../src/store/database.ts';

interface Draft {
  title?: string;
  slug?: string;
  runtime?: object;
}

/** Saves a revision that is not published, as Ada. Returns its number. */
export function saveDraft(database: Database, experienceId: string, draft: Draft): Promise<number> {
  return database.transaction(async (tx) => {
    const values = [experienceId, draft.slug, draft.title, draft.runtime && JSON.stringify(draft.runtime)];
    const [row] = await tx.query<{ number: number }>(
      {
        text: `INSERT INTO revisions (experience_id, number, slug, title, runtime, created_at, created_by)
               SELECT e.id, e.latest_revision + 1, coalesce($2, r.slug), coalesce($3, r.title), coalesce($4::json, r.runtime),
                      now(), 'Ada'
                 FROM experiences e JOIN revisions r ON r.experience_id = e.id AND r.number = e.latest_revision
                WHERE e.id = $1 RETURNING number`,
      },
      values,
    );
    await tx.query(
      {
        text: `UPDATE experiences e SET latest_revision = r.number, slug = r.slug, title = r.title,
                      updated_at = now() + interval '1 hour', updated_by = 'Ada', managed_by = 'console'
                 FROM revisions r WHERE e.id = $1 AND r.experience_id = e.id AND r.number = $2`,
      },
      [experienceId, row?.number],
    );
    return row!.number;
  });
}

/** Publishes a revision, as Ada. */
export async function publish(database: Database, experienceId: string, revision: number): Promise<void> {
  await database.query(
    'admin',
    {
      text: `UPDATE experiences SET published_revision = $2, status = 'published', updated_by = 'Ada', managed_by = 'console'
              WHERE id = $1`,
    },
    [experienceId, revision],
  );
}

/** Records a change that Ada made in the console. */
export function recordEdit(database: Database, target: string, changes: FieldChange[]): Promise<void> {
  const actor = {
    operatorId: 'opr_ada',
    name: 'Ada',
    role: 'owner' as const,
    projectIds: null,
    via: 'console' as const,
    address: '127.0.0.1',
    requestId: 'req_test',
  };
  return database.transaction((tx) =>
    recordAudit(tx, actor, [{ action: 'experience.save', target, changes }]),
  );
}
