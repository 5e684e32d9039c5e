import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '../audit/actor.ts';
import { discardLimit } from '../http/bodies/json-body.ts';
import type { Load } from '../observe/metrics.ts';
import { ApiError, unavailable } from '../primitives/errors.ts';
import { isEventStream } from './event-stream.ts';

/** Maximum requests of all operators in flight. */
const maxInFlight = 128;
/** Maximum requests of one operator in flight. A browser has at most six over HTTP/1.1. */
const maxEach = 32;
/** Maximum MiB of the bodies of all operators' requests in flight, which are in memory until the response ends. */
const maxMiB = 64;
/** Maximum MiB of the bodies of one operator's requests in flight. A browser uploads at most six pictures of 4 MiB at the same time. */
const maxMiBEach = 32;
/**
 * Maximum requests of one operator whose handlers run at the same time; the others wait, in order. The statements of all operators share one
 * connection of the embedded engine, or a pool of PostgreSQL, so those of other operators wait for the statements of this many requests only.
 */
const maxRunning = 4;
const mebibyte = 1024 * 1024;
/** Maximum milliseconds that a request waits for its operator's other requests. */
const maxWaitMs = 10_000;
/** Minimum milliseconds between log lines about refused requests. */
const warnEveryMs = 10_000;

/** The requests in flight of one operator. */
interface Requests {
  count: number;
  bytes: number;
  running: number;
  /** Each starts the next handler. */
  readonly waiting: Set<() => void>;
}

/** A request in flight. */
interface Slot {
  readonly own: Requests;
  isHandling: boolean;
  /** Aborted when the connection closes. */
  readonly closed: AbortController;
  release(): void;
}

/**
 * Limits the requests of operators in flight, in total and for each operator, and the handlers of one operator that run at the same time.
 * The event stream, which stays open, is not counted.
 */
export class AdminAdmission implements Load {
  inFlight = 0;
  refused = 0;
  /** Bytes of the bodies of the requests in flight. */
  #bytes = 0;
  readonly #maxWaitMs: number;
  readonly #byOperator = new Map<string, Requests>();
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
  readonly #tooMuch = new ApiError('RATE_LIMITED', {
    message: `The bodies of your requests in progress are too large together: at most ${maxMiBEach} MiB at a time. Retry after a second.`,
    details: { policy: 'operator-bytes', limit: maxMiBEach * mebibyte, retryAfterSeconds: 1 },
    headers: { 'Retry-After': '1' },
  });
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(waitMs = maxWaitMs) {
    this.#maxWaitMs = waitMs;
  }

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
      const bytes = bodyBytes(request);
      const refusal = this.#refusal(operatorId, bytes);
      if (refusal === undefined) {
        const slot = this.#acquire(operatorId, bytes);
        this.#slots.set(request, slot);
        reply.raw.once('close', () => {
          slot.closed.abort();
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
          return await this.#run(slot, async () => handler(request, reply));
        } finally {
          slot.isHandling = false;
          if (slot.closed.signal.aborted) slot.release();
        }
      };
    });
  }

  /** Runs a handler when fewer than `maxRunning` of its operator run. */
  async #run<T>({ own, closed }: Slot, handler: () => Promise<T>): Promise<T> {
    if (own.running < maxRunning) own.running++;
    else await this.#turn(own, closed.signal);
    try {
      return await handler();
    } finally {
      // The next request takes over the place of this one.
      const [next] = own.waiting;
      if (next === undefined) own.running--;
      else next();
    }
  }

  #turn({ waiting }: Requests, closed: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        closed.removeEventListener('abort', drop);
        waiting.delete(start);
      };
      const start = () => {
        leave();
        resolve();
      };
      const drop = () => {
        leave();
        reject(this.#busy);
      };
      const timer = setTimeout(drop, this.#maxWaitMs);
      closed.addEventListener('abort', drop);
      waiting.add(start);
    });
  }

  #refusal(operatorId: string, bytes: number): ApiError | undefined {
    const own = this.#byOperator.get(operatorId);
    if ((own?.count ?? 0) >= maxEach) return this.#tooMany;
    if (bytes > 0 && (own?.bytes ?? 0) + bytes > maxMiBEach * mebibyte) return this.#tooMuch;
    const isFull = this.inFlight >= maxInFlight || (bytes > 0 && this.#bytes + bytes > maxMiB * mebibyte);
    return isFull ? this.#busy : undefined;
  }

  #acquire(operatorId: string, bytes: number): Slot {
    this.inFlight++;
    this.#bytes += bytes;
    const own = this.#byOperator.get(operatorId) ?? { count: 0, bytes: 0, running: 0, waiting: new Set() };
    this.#byOperator.set(operatorId, own);
    own.count++;
    own.bytes += bytes;
    let isReleased = false;
    const release = () => {
      // A handler can start after the close, and then releases once more.
      if (isReleased) return;
      isReleased = true;
      this.inFlight--;
      this.#bytes -= bytes;
      own.bytes -= bytes;
      if (--own.count === 0) this.#byOperator.delete(operatorId);
    };
    return { own, isHandling: false, closed: new AbortController(), release };
  }

  #warn(request: FastifyRequest): void {
    this.refused++;
    if (performance.now() - this.#warnedAt < warnEveryMs) return;
    this.#warnedAt = performance.now();
    request.log.warn({ inFlight: this.inFlight }, 'too many concurrent admin requests; some are refused');
  }
}

/** Bytes that are buffered at most for the body of a request: also of one that is too large, and in chunks, whose size is unknown. */
function bodyBytes({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return discardLimit;
  return Math.min(Number(headers['content-length'] ?? 0), discardLimit);
}
