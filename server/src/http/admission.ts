import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../errors.ts';
import { sendError } from './error-handler.ts';

/** What a part of the interface has in hand, and how often it had to say no. */
export interface Admission {
  underWay: number;
  refused: number;
}

/** A crowd is worth a line in the log now and then, not one for each of its members. */
const tellEveryMs = 10_000;

/**
 * Refuses a scope's requests, cheaply and at once, while too many of them are under way: beyond what is done in a
 * moment, one more only makes all of them late.
 */
export function admitAtMost(app: FastifyInstance, limit: number): Admission {
  const admission: Admission = { underWay: 0, refused: 0 };
  // One error for all: making its stack would be a large part of a refusal.
  const busy = unavailable();
  let told = Number.NEGATIVE_INFINITY;
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    admission.refused++;
    if (performance.now() - told > tellEveryMs) {
      told = performance.now();
      request.log.warn({ underWay: admission.underWay }, 'too many requests at once; some are refused');
    }
    sendError(request, reply, busy);
  };
  const leave = () => {
    admission.underWay--;
  };
  // Bodies that did not come along with their headers.
  let incomplete: Array<{ request: IncomingMessage; response: ServerResponse }> = [];
  const lookBack = () => {
    for (const { request, response } of incomplete) if (!request.complete) waitForBody(request, response);
    incomplete = [];
  };
  /** Who is slow to send keeps no place from others. */
  const waitForBody = (request: IncomingMessage, response: ServerResponse) => {
    if (response.closed) return;
    response.off('close', leave);
    leave();
    request.once('end', () => {
      if (response.closed) return;
      admission.underWay++;
      response.once('close', leave);
    });
  };
  // After every onRequest hook, so that a refusal has the headers of its route; before a body is read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    // A preflight costs next to nothing, and a page that gets none could not read the refusal.
    if (admission.underWay >= limit && request.method !== 'OPTIONS') return refuse(request, reply);
    admission.underWay++;
    reply.raw.once('close', leave);
    // Whether a body came along shows in the next turn of the event loop.
    const { raw } = request;
    if (!raw.complete && incomplete.push({ request: raw, response: reply.raw }) === 1) setImmediate(lookBack);
    done(null, payload);
  });
  return admission;
}
