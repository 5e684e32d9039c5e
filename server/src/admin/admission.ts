import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '../audit/actor.ts';
import type { Load } from '../observe/metrics.ts';
import { ApiError, unavailable } from '../primitives/errors.ts';
import { isEventStream } from './event-stream.ts';

/** Maximum requests of all operators in flight, each with a body of up to 4 MiB. */
const maxInFlight = 128;
/** Maximum requests of one operator in flight. A browser has at most six over HTTP/1.1. */
const maxEach = 32;
/** Minimum milliseconds between log lines about refused requests. */
const warnEveryMs = 10_000;

/** A request in flight. */
interface Slot {
  isHandling: boolean;
  isClosed: boolean;
  release(): void;
}

/** Limits the requests of operators in flight, in total and for each operator. The event stream, which stays open, is not counted. */
export class AdminAdmission implements Load {
  inFlight = 0;
  refused = 0;
  readonly #byOperator = new Map<string, number>();
  readonly #slots = new WeakMap<FastifyRequest, Slot>();
  // Shared error objects: capturing a stack trace would be most of the cost of a refusal.
  readonly #busy = unavailable();
  /** Ends a request whose response cannot be sent. */
  readonly #disconnected = unavailable();
  readonly #tooMany = new ApiError('RATE_LIMITED', {
    message: `You have too many requests in progress: at most ${maxEach} at a time. Retry after a second.`,
    details: { policy: 'operator', limit: maxEach, retryAfterSeconds: 1 },
    headers: { 'Retry-After': '1' },
  });
  #warnedAt = Number.NEGATIVE_INFINITY;

  /**
   * Rejects requests beyond the limits before their bodies are read. Call it after the guard of the scope and before its routes are added.
   */
  limit(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      if (isEventStream(request)) {
        done();
        return;
      }
      // The client may have disconnected during the authentication, before the listener below is added.
      if (reply.raw.destroyed) {
        done(this.#disconnected);
        return;
      }
      const { operatorId } = actorOf(request);
      const refusal = this.#refusal(operatorId);
      if (refusal === undefined) {
        const slot = this.#acquire(operatorId);
        this.#slots.set(request, slot);
        reply.raw.once('close', () => {
          slot.isClosed = true;
          if (!slot.isHandling) slot.release();
        });
      } else this.#warn(request);
      done(refusal);
    });
    app.addHook('onRoute', (route) => {
      const handler = route.handler.bind(app);
      // A client that disconnects does not stop the handler, so the slot is held until both have ended.
      route.handler = async (request, reply) => {
        const slot = this.#slots.get(request);
        if (slot === undefined) return handler(request, reply);
        slot.isHandling = true;
        try {
          return await handler(request, reply);
        } finally {
          slot.isHandling = false;
          if (slot.isClosed) slot.release();
        }
      };
    });
  }

  #refusal(operatorId: string): ApiError | undefined {
    if ((this.#byOperator.get(operatorId) ?? 0) >= maxEach) return this.#tooMany;
    return this.inFlight >= maxInFlight ? this.#busy : undefined;
  }

  #acquire(operatorId: string): Slot {
    this.inFlight++;
    this.#byOperator.set(operatorId, (this.#byOperator.get(operatorId) ?? 0) + 1);
    let isReleased = false;
    const release = () => {
      // A handler can start after the close, and then releases once more.
      if (isReleased) return;
      isReleased = true;
      this.inFlight--;
      const left = this.#byOperator.get(operatorId)! - 1;
      if (left === 0) this.#byOperator.delete(operatorId);
      else this.#byOperator.set(operatorId, left);
    };
    return { isHandling: false, isClosed: false, release };
  }

  #warn(request: FastifyRequest): void {
    this.refused++;
    if (performance.now() - this.#warnedAt < warnEveryMs) return;
    this.#warnedAt = performance.now();
    request.log.warn({ inFlight: this.inFlight }, 'too many concurrent admin requests; some are refused');
  }
}
