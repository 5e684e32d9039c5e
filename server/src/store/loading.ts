import { unavailable } from '../errors.ts';

/** How long a remembered value may be used when no notification of a change arrives: below the promised 5 s. */
export const freshFor = 4_000;

/**
 * Values on their way from the database. Whoever asks for the same one waits for the same query. A value counts from the
 * moment its query was sent, and what was asked before something changed is not kept.
 */
export class Loading<V> {
  readonly #underWay = new Map<string, { promise: Promise<V>; until: number }>();
  #generation = 0;

  /** A value that is on its way and will not be too old. */
  get(name: string): Promise<V> | undefined {
    const loading = this.#underWay.get(name);
    return loading !== undefined && loading.until > performance.now() ? loading.promise : undefined;
  }

  /** Asks for a value, and has it kept until it is too old. */
  begin(name: string, ask: () => Promise<V>, keep: (value: V, until: number) => void): Promise<V> {
    const generation = this.#generation;
    const until = performance.now() + freshFor;
    const promise = ask()
      .then((value) => {
        // An answer that took so long is already as old as a value may get.
        if (performance.now() > until) throw unavailable(tooLate());
        if (generation === this.#generation) keep(value, until);
        return value;
      })
      .finally(() => {
        if (this.#underWay.get(name)?.promise === promise) this.#underWay.delete(name);
      });
    this.#underWay.set(name, { promise, until });
    return promise;
  }

  /** Something has changed: what is on its way may be from before. */
  forget(): void {
    this.#generation++;
    this.#underWay.clear();
  }
}

function tooLate(): Error {
  return new Error('the database took so long that its answer is too old to go by');
}
