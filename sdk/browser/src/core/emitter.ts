import type { Events } from '../types.ts';

type Handler<K extends keyof Events> = (payload: Events[K]) => void;

const names: Record<keyof Events, true> = {
  stateChange: true,
  modeChange: true,
  message: true,
  micChange: true,
  outputChange: true,
  suggestions: true,
  error: true,
  ended: true,
  runtimeEvent: true,
};

/** Where else to look for what is no event here. */
const elsewhere: Record<string, string> = {
  close: 'pass onClose to attach(), or listen to "experience:close" on <session-experience>',
  stateUpdate: 'pass onStateUpdate to attach()',
  onStateUpdate: 'pass it to attach()',
  end: 'it is called "ended"',
};

export class Emitter {
  readonly #handlers = new Map<keyof Events, Set<Handler<never>>>();

  on<K extends keyof Events>(event: K, handler: Handler<K>): () => void {
    if (!Object.hasOwn(names, event))
      throw new TypeError(
        `there is no event "${event}": ${elsewhere[event] ?? `it is one of ${Object.keys(names).join(', ')}`}`,
      );
    if (typeof handler !== 'function') throw new TypeError(`the handler of "${event}" is not a function`);
    const all = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, all.add(handler));
    return () => this.off(event, handler);
  }

  once<K extends keyof Events>(event: K, handler: Handler<K>): () => void {
    const off = this.on(event, (payload) => {
      off();
      handler(payload);
    });
    return off;
  }

  off<K extends keyof Events>(event: K, handler: Handler<K>): void {
    this.#handlers.get(event)?.delete(handler);
  }

  emit<K extends keyof Events>(event: K, payload: Events[K]): void {
    for (const handler of [...(this.#handlers.get(event) ?? [])]) {
      try {
        (handler as Handler<K>)(payload);
      } catch (error) {
        report(error);
      }
    }
  }
}

/** A handler's fault is the page's to hear of, and nobody else's. */
export function report(error: unknown): void {
  if (typeof reportError === 'function') reportError(error);
  else
    setTimeout(() => {
      throw error;
    });
}
