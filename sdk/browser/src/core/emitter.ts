import type { Events } from '../types.ts';
import { callSafely } from './report.ts';

type Handler<K extends keyof Events> = (payload: Events[K]) => void;

const names: readonly string[] = [
  'stateChange',
  'modeChange',
  'message',
  'micChange',
  'outputChange',
  'suggestions',
  'error',
  'ended',
  'runtimeEvent',
] satisfies (keyof Events)[];

export class Emitter {
  /** Handlers per event; true for those that are removed after their first call. */
  readonly #handlers = new Map(names.map((name) => [name, new Map<Handler<never>, boolean>()]));

  /** Number of running `emit` calls: above 0 while a handler is called. */
  protected emitting = 0;

  on<K extends keyof Events>(event: K, handler: Handler<K>, isOnce = false): () => void {
    const all = this.#handlers.get(event);
    if (!all)
      throw new TypeError(
        `there is no event "${event}": ${names.join(', ')}; attach() has onClose and onStateUpdate`,
      );
    if (typeof handler !== 'function') throw new TypeError('handler must be a function');
    all.set(handler, isOnce);
    return () => this.off(event, handler);
  }

  once<K extends keyof Events>(event: K, handler: Handler<K>): () => void {
    return this.on(event, handler, true);
  }

  off<K extends keyof Events>(event: K, handler: Handler<K>): void {
    this.#handlers.get(event)?.delete(handler);
  }

  emit<K extends keyof Events>(event: K, payload: Events[K]): void {
    this.emitting++;
    for (const [handler, isOnce] of [...this.#handlers.get(event)!] as [Handler<K>, boolean][]) {
      if (isOnce) this.off(event, handler);
      callSafely(() => handler(payload));
    }
    this.emitting--;
  }
}
