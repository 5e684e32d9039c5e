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
  let arrived: Place[] = [];
  const lookBack = () => {
    for (const place of arrived) place.waitForBody();
    arrived = [];
  };
  // After every onRequest hook, so that a refusal has the headers of its route; before a body is read.
  app.addHook('preParsing', (request, reply, payload, done) => {
    // A preflight costs next to nothing, and a page that gets none could not read the refusal.
    if (admission.underWay >= limit && request.method !== 'OPTIONS') return refuse(request, reply);
    // Whether a body came along with its headers shows in the next turn of the event loop.
    if (arrived.push(new Place(admission, request.raw, reply.raw)) === 1) setImmediate(lookBack);
    done(null, payload);
  });
  return admission;
}

/** The place of one request, from its arrival to its answer; but who is slow to send keeps no place from others. */
class Place {
  readonly #admission: Admission;
  readonly #request: IncomingMessage;
  #isTaken = false;

  constructor(admission: Admission, request: IncomingMessage, response: ServerResponse) {
    this.#admission = admission;
    this.#request = request;
    this.#take();
    response.once('close', () => this.#leave());
  }

  waitForBody(): void {
    if (this.#request.complete || !this.#isTaken) return;
    this.#leave();
    this.#request.once('end', () => this.#take());
  }

  #take(): void {
    this.#isTaken = true;
    this.#admission.underWay++;
  }

  #leave(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#admission.underWay--;
  }
}
