import { aliveOperation, readyOperation } from '@session-launch/contract/health';
import type { FastifyInstance } from 'fastify';
import type { RuntimeStatus } from '../../observe/runtime-metrics.ts';
import { requestFields } from '../../observe/trace.ts';
import type { Database } from '../../store/database.ts';
import { TakesNoWrites } from '../../store/write-health.ts';
import { refuseOtherMethods } from '../listener/server.ts';

export interface HealthDeps {
  database: Database;
  /** True while a listener that clients may expect is not open yet. */
  isStarting: () => boolean;
  /** True once shutdown has begun: load balancers should send no more requests. */
  isDraining: () => boolean;
  runtime: () => Pick<RuntimeStatus, 'state' | 'hearing'>;
}

const checkTimeout = 2_000;

export async function healthRoutes(app: FastifyInstance, deps: HealthDeps): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
  });

  app.get(aliveOperation.path, async (_request, reply) => {
    if (deps.database.own?.alive() !== false) return { status: 'ok' };
    return reply.code(503).send({ status: 'unavailable', reason: 'the embedded engine has ended' });
  });
  refuseOtherMethods(app, aliveOperation.path, ['GET']);

  app.get(readyOperation.path, async (request, reply) => {
    const reason = await whyNotReady(deps);
    const { state, hearing } = deps.runtime();
    const runtime = { runtime: state, ...(hearing === undefined ? {} : { hearing }) };
    if (reason === undefined) return { status: 'ready', ...runtime };
    request.log.warn({ ...requestFields(request), reason }, 'not ready');
    return reply
      .code(503)
      .header('Retry-After', '1')
      .send({ status: 'unavailable', reason, ...runtime });
  });
  refuseOtherMethods(app, readyOperation.path, ['GET']);
}

/** Why the service cannot mint; `undefined` if it can. */
export async function whyNotReady(deps: HealthDeps): Promise<string | undefined> {
  if (deps.isDraining()) return 'the service is shutting down';
  return deps.isStarting() ? 'the service is starting' : databaseProblem(deps.database);
}

/** The public reason: names the unavailable part, without its address or cause. */
async function databaseProblem(database: Database): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('the database does not answer in time'), checkTimeout);
  });
  const asked = database.ping().then(
    () => undefined,
    (error) =>
      error instanceof TakesNoWrites ? 'the database takes no writes' : 'the database cannot be reached',
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
