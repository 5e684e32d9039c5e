import type { OutgoingHttpHeaders } from 'node:http';
import {
  doctorOperation,
  eventsOperation,
  signingKeysOperation,
} from '@session-launch/contract/admin/system';
import type { FastifyInstance } from 'fastify';
import type { Finding } from '../doctor/finding.ts';
import type { AdminDeps } from './deps.ts';
import { mount } from './mount.ts';

/** Milliseconds for which the findings of the doctor are reused. Its checks start a process and call remote engines. */
const findingsMs = 5_000;

export async function systemRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const { events, signingKeys } = deps;
  const examine = reused(deps.examine, findingsMs);
  mount(app, doctorOperation, async () => {
    const findings: Finding[] = await examine();
    return { ok: findings.every(({ status }) => status !== 'fail'), findings };
  });
  mount(app, signingKeysOperation, () => ({
    keys: signingKeys.all.map(({ kid, since }) => ({
      kid,
      signs: kid === signingKeys.current.kid,
      since: since.toISOString(),
    })),
  }));
  mount(app, eventsOperation, ({ actor, request, reply }) => {
    const ended = events.streamToReplace(actor);
    reply.type('text/event-stream; charset=utf-8');
    if (request.method === 'HEAD') return reply.send();
    if (ended !== undefined) events.end(ended);
    // Prevents proxies from buffering the events. The connection is not used again, so it closes as soon as the stream ends.
    reply.headers({ 'X-Accel-Buffering': 'no', Connection: 'close' });
    reply.hijack();
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
    events.open(actor, reply.raw);
    return reply;
  });
}

/** Shares the result of a call with the calls of the next `ms` milliseconds. A failed call is not reused. */
function reused<T>(call: () => Promise<T>, ms: number): () => Promise<T> {
  let result: Promise<T> | undefined;
  let until = 0;
  return () => {
    if (result !== undefined && performance.now() < until) return result;
    const fresh = call();
    result = fresh;
    until = Number.POSITIVE_INFINITY;
    fresh.then(
      () => {
        until = performance.now() + ms;
      },
      () => {
        result = undefined;
      },
    );
    return fresh;
  };
}
