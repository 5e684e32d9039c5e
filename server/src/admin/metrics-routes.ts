import { metricsOperation } from '@session-launch/contract/admin/status';
import { bearerCheck } from '@session-launch/process/bearer-token';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { unauthenticated } from '../audit/actor.ts';
import { callerByToken, type GuardDeps } from './guard.ts';
import { mount } from './mount.ts';

export interface MetricsDeps {
  /** METRICS_TOKEN. */
  token: string | undefined;
  /** Accepts the tokens of operators, too. Absent: the admin API is off. */
  operators: Omit<GuardDeps, 'site'> | undefined;
  metrics: Registry;
  /** Metrics of the included runtime. */
  furtherMetrics(): Promise<string>;
}

/** `GET /metrics`. Registered separately from the admin API, because METRICS_TOKEN is valid only here. */
export async function metricsRoutes(app: FastifyInstance, deps: MetricsDeps): Promise<void> {
  const { token, operators, metrics } = deps;
  const isMetricsToken = bearerCheck(token === undefined ? [] : [token]);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
    if (isMetricsToken(request.headers.authorization)) return;
    if ((operators && (await callerByToken(operators, request))) === undefined) throw unauthenticated();
  });
  mount(app, metricsOperation, async ({ reply }) => {
    const texts = await Promise.all([metrics.metrics(), deps.furtherMetrics()]);
    return reply.type(metrics.contentType).send(texts.filter((text) => text !== '').join('\n'));
  });
}
