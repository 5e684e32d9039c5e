/** A queue that is read as an async iterable. Values that were pushed before `end` or `fail` are still delivered. */
export class Channel<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #end: { error?: Error } | undefined;
  #wake: () => void = () => {};

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  push(value: T): void {
    if (this.#end !== undefined) return;
    this.#values.push(value);
    this.#wake();
  }

  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  fail(error: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#values.length > 0) yield this.#values.shift()!;
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
