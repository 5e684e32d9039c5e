import { metricsOperation } from '@session-launch/contract/admin/status';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { protectRoutes } from '../http/guards/bearer.ts';
import { mount } from './mount.ts';

export interface MetricsDeps {
  /** The tokens that this route accepts: the admin token and METRICS_TOKEN. */
  tokens: readonly string[];
  metrics: Registry;
  /** Metrics of the included runtime. */
  furtherMetrics(): Promise<string>;
}

/** `GET /metrics`. Registered separately from the admin API, because METRICS_TOKEN is valid only here. */
export async function metricsRoutes(app: FastifyInstance, deps: MetricsDeps): Promise<void> {
  const { tokens, metrics } = deps;
  protectRoutes(app, tokens, 'ADMIN_TOKEN_INVALID');
  mount(app, metricsOperation, async ({ reply }) => {
    const texts = await Promise.all([metrics.metrics(), deps.furtherMetrics()]);
    return reply.type(metrics.contentType).send(texts.filter((text) => text !== '').join('\n'));
  });
}
