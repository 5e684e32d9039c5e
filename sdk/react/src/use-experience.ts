import {
  createExperience,
  type Experience,
  type ExperienceOptions,
  type Message,
  type PlayerState,
} from '@session-launch/browser';
import { type RefCallback, useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { idle, type Store, storeOf } from './experience-store.ts';

/** Compares options by value: objects and functions that are recreated on every render give the same key. Ignores which signal is set. */
function keyOf(options: object): string {
  return JSON.stringify(options, (_, value) => (typeof value === 'function' ? 'function' : value));
}

/** Wraps functions so that each call uses the function of the latest render. */
function withLatest(latest: { current: ExperienceOptions }): ExperienceOptions {
  const options: Record<string, unknown> = { ...latest.current };
  for (const [name, value] of Object.entries(options)) {
    if (typeof value !== 'function') continue;
    options[name] = (...values: unknown[]) =>
      (latest.current as unknown as Record<string, (...all: unknown[]) => unknown>)[name]?.(...values);
  }
  return options as unknown as ExperienceOptions;
}

export interface OpenExperience {
  experience: Experience;
  store: Store;
}

/** Creates the experience of a component. Creates another one when the options change, and ends it after the component has unmounted. */
export function useOpenExperience(options: ExperienceOptions): OpenExperience {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const key = keyOf(options);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` changes whenever a relevant option other than the signal changes
  const open = useMemo(() => {
    latest.current = options;
    const experience = createExperience(withLatest(latest));
    return { experience, store: storeOf(experience) };
  }, [key, options.signal]);
  const mounted = useRef<OpenExperience>(undefined);
  useEffect(() => {
    mounted.current = open;
    return () => {
      mounted.current = undefined;
      // One macrotask later, the component has removed its handlers, and React StrictMode has mounted it again.
      setTimeout(() => {
        if (mounted.current !== open) void open.experience.end();
      });
    };
  }, [open]);
  return open;
}

export type UsedExperience = PlayerState & {
  messages: readonly Message[];
  experience: Experience;
  start(): Promise<void>;
  end(): Promise<void>;
  /** Ref callback for the element that contains the player. */
  attach: RefCallback<Element>;
};

export function useExperience(options: ExperienceOptions): UsedExperience {
  const { experience, store } = useOpenExperience(options);
  const state = useSyncExternalStore(store.subscribe, store.snapshot, () => idle);
  const detach = useRef<() => void>(undefined);
  const attach = useCallback<RefCallback<Element>>(
    (element) => {
      detach.current?.();
      detach.current = undefined;
      if (element === null) return;
      const player = experience.attach(element, {
        onStateUpdate: ({ captions }) => store.setCaptions(captions),
      });
      detach.current = () => player.detach();
    },
    [experience, store],
  );
  return useMemo(
    () => ({ ...state, experience, attach, start: () => experience.start(), end: () => experience.end() }),
    [state, experience, attach],
  );
}
