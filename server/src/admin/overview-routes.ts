import { overviewOperation } from '@session-launch/contract/admin/overview';
import { type UsageQuery, usageOperation } from '@session-launch/contract/admin/usage';
import type { FastifyInstance } from 'fastify';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { csv } from '../statistics/csv.ts';
import { readOverview } from '../statistics/overview.ts';
import { countingOf, readUsage } from '../statistics/usage.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';

const dayMs = 86_400_000;
const defaultDays = 30;
const maxDays = 3_660;
/** Maximum rows of a response, which is built in memory. */
const maxRows = 100_000;

export async function overviewRoutes(app: FastifyInstance, { database }: AdminDeps): Promise<void> {
  mount(app, overviewOperation, async ({ params, query }) => {
    const projectId = await knownProject(database, params.projectId);
    const overview = await readOverview(database, projectId, query.window ?? '24h', new Date());
    if (overview === undefined) throw new ApiError('PROJECT_NOT_FOUND');
    return overview;
  });
  mount(app, usageOperation, async ({ params, query, request, reply }) => {
    const range = rangeOf(query, Date.now());
    const projectId = await knownProject(database, params.projectId);
    const { days, isCounting } = await readUsage(database, projectId, range, maxRows + 1);
    if (days.length > maxRows)
      throw invalidRequest([
        { path: 'from', message: `selects more than ${maxRows} rows; choose fewer days` },
      ]);
    if (isCounting) reply.header('Usage-Counting', 'true');
    if (!/text\/csv/i.test(request.headers.accept ?? '')) return { days, ...countingOf(isCounting) };
    return reply
      .type('text/csv; charset=utf-8')
      .send(csv(['day', 'experienceId', 'sessions', 'seconds'], days));
  });
}

/** The days of a usage query, both included. */
function rangeOf(query: UsageQuery, now: number): { from: string; to: string } {
  const to = timeOf('to', query.to) ?? now - (now % dayMs);
  const from = timeOf('from', query.from) ?? to - (defaultDays - 1) * dayMs;
  if (from > to) throw invalidRequest([{ path: 'from', message: 'must not be after to' }]);
  if ((to - from) / dayMs >= maxDays)
    throw invalidRequest([
      { path: 'from', message: `must be at most ${maxDays} days before to, counting both` },
    ]);
  return { from: dayOf(from), to: dayOf(to) };
}

function timeOf(path: keyof UsageQuery, day: string | undefined): number | undefined {
  if (day === undefined) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  // `Date.parse` may accept days such as 2026-02-30.
  if (Number.isNaN(time) || dayOf(time) !== day || time < 0)
    throw invalidRequest([{ path, message: 'must be a day of the calendar, such as 2026-03-01' }]);
  return time;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
