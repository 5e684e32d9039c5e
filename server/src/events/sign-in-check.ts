import type { Actor } from '../audit/actor.ts';
import type { Database, Statement } from '../store/database.ts';

/** Selects the indexes (`n`) of the operators who still have the same rights and whose login has not expired. */
export const stillSignedIn: Statement = {
  name: 'still_signed_in',
  text: `
    SELECT w.n
      FROM json_to_recordset($1) AS w(n integer, "operatorId" text, "loginId" text, role text, "projectIds" text[])
     WHERE (w."operatorId" = 'bootstrap' OR EXISTS (
              SELECT 1 FROM operators o
               WHERE o.id = w."operatorId" AND o.role = w.role AND o.project_ids IS NOT DISTINCT FROM w."projectIds"))
       AND (w."loginId" IS NULL OR EXISTS (
              SELECT 1 FROM logins l WHERE l.id = w."loginId" AND l.expires_at > now()))`,
};

/** Whether a request of this operator would still be accepted with the same rights, for each of them. */
export async function areSignedIn(database: Database, actors: readonly Actor[]): Promise<boolean[]> {
  // ADMIN_TOKEN does not change while the process runs.
  const isChecked = ({ operatorId, login }: Actor) => operatorId !== 'bootstrap' || login !== undefined;
  if (!actors.some(isChecked)) return actors.map(() => true);
  const asked = actors.map(({ operatorId, login, role, projectIds }, n) => ({
    n,
    operatorId,
    loginId: login?.loginId,
    role,
    projectIds,
  }));
  const rows = await database.query<{ n: number }>('admin', stillSignedIn, [JSON.stringify(asked)]);
  const valid = new Set(rows.map(({ n }) => n));
  return actors.map((_, n) => valid.has(n));
}
