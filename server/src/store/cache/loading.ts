import { StoreUnavailable } from '../database-errors.ts';

/** Maximum age of a cached value in milliseconds when no change notification arrives. Must stay below the promised 5 s. */
export const freshFor = 4_000;

/**
 * Queries in flight, shared by concurrent callers of the same key. A value's age counts from when its query was sent, and results of
 * queries sent before an invalidation are not cached.
 */
export class Loading<V> {
  readonly #inFlight = new Map<string, { promise: Promise<V>; until: number }>();
  #generation = 0;

  /** The query in flight for this key, if its result will not be too old. */
  get(name: string): Promise<V> | undefined {
    const loading = this.#inFlight.get(name);
    return loading !== undefined && loading.until > performance.now() ? loading.promise : undefined;
  }

  /** Starts the query and caches its result until it expires. */
  begin(name: string, query: () => Promise<V>, keep: (value: V, until: number) => void): Promise<V> {
    const generation = this.#generation;
    const until = performance.now() + freshFor;
    const promise = query()
      .then((value) => {
        // A result that took longer than the maximum age is already expired.
        if (performance.now() > until) throw tooLate();
        if (generation === this.#generation) keep(value, until);
        return value;
      })
      .finally(() => {
        if (this.#inFlight.get(name)?.promise === promise) this.#inFlight.delete(name);
      });
    this.#inFlight.set(name, { promise, until });
    return promise;
  }

  /** Invalidation: results of queries in flight may predate the change. */
  forget(): void {
    this.#generation++;
    this.#inFlight.clear();
  }
}

function tooLate(): StoreUnavailable {
  const cause = new Error('the query took longer than its result may be cached');
  return new StoreUnavailable(cause.message, { cause });
}
