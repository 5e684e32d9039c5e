import { Readable } from 'node:stream';
import { type AuditEntry, auditOperation } from '@session-launch/contract/admin/audit';
import type { FastifyInstance } from 'fastify';
import { type Actor, sees } from '../audit/actor.ts';
import { everyEntry, listAudit } from '../audit/read.ts';
import type { AdminDeps } from './deps.ts';
import { mount } from './mount.ts';
import { limitOf } from './requests.ts';

export async function auditRoutes(app: FastifyInstance, { database }: AdminDeps): Promise<void> {
  mount(app, auditOperation, async ({ query, actor, request, reply }) => {
    const { projectId, operatorId, action, cursor } = query;
    // An operator limited to projects must not see the entries of a deleted project whose id a present one has.
    const withDeleted = actor.projectIds === null;
    const filter = { projectIds: visible(actor, projectId), withDeleted, operatorId, action };
    if (!/\bapplication\/x-ndjson\b/i.test(request.headers.accept ?? ''))
      return listAudit(database, filter, { limit: limitOf(query.limit), cursor });
    const lines = Readable.from(asLines(everyEntry(database, filter)));
    return reply.type('application/x-ndjson; charset=utf-8').send(lines);
  });
}

/** The projects whose entries are read. One that the operator does not see has no entries, as if it did not exist. */
function visible(actor: Actor, projectId: string | undefined): readonly string[] | undefined {
  if (projectId !== undefined) return sees(actor, projectId) ? [projectId] : [];
  return actor.projectIds ?? undefined;
}

async function* asLines(pages: AsyncIterable<AuditEntry[]>): AsyncGenerator<string> {
  for await (const entries of pages) {
    if (entries.length > 0) yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }
}
