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

/** What belongs to the player. */
const elsewhere: Record<string, string> = {
  close: 'pass onClose to attach(), or listen to "experience:close"',
  stateUpdate: 'pass onStateUpdate to attach(), or listen to "experience:stateupdate"',
};

export class Emitter {
  /** By event; true for those that hear it once. */
  readonly #handlers = new Map<keyof Events, Map<Handler<never>, boolean>>();

  on<K extends keyof Events>(event: K, handler: Handler<K>, isOnce = false): () => void {
    if (!Object.hasOwn(names, event))
      throw new TypeError(
        `there is no event "${event}": ${elsewhere[event] ?? `it is one of ${Object.keys(names).join(', ')}`}`,
      );
    if (typeof handler !== 'function') throw new TypeError(`the handler of "${event}" is not a function`);
    const all = this.#handlers.get(event) ?? new Map();
    this.#handlers.set(event, all.set(handler, isOnce));
    return () => this.off(event, handler);
  }

  once<K extends keyof Events>(event: K, handler: Handler<K>): () => void {
    return this.on(event, handler, true);
  }

  off<K extends keyof Events>(event: K, handler: Handler<K>): void {
    this.#handlers.get(event)?.delete(handler);
  }

  emit<K extends keyof Events>(event: K, payload: Events[K]): void {
    const all = this.#handlers.get(event) ?? new Map();
    for (const [handler, isOnce] of [...all]) {
      if (isOnce) all.delete(handler);
      try {
        handler(payload);
      } catch (error) {
        // A handler's fault is the page's to hear of, and nobody else's.
        reportError(error);
      }
    }
  }
}
