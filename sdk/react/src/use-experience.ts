import {
  createExperience,
  type Experience,
  type ExperienceOptions,
  type Message,
  type PlayerState,
} from '@session-launch/browser';
import { type RefCallback, useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { idle, type Store, storeOf } from './store.ts';

/** Options by what they say: objects and functions that are written anew with every render mean the same. */
function keyOf(options: object): string {
  return JSON.stringify(options, (_, value) => (typeof value === 'function' ? 'function' : value));
}

/** Functions are looked up when they are called, so that the newest one is. */
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

/** The experience of a component: another one when the options say something else, and over when the component goes. */
export function useOpenExperience(options: ExperienceOptions): OpenExperience {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const key = keyOf(options);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that counts of the options
  const open = useMemo(() => {
    latest.current = options;
    const experience = createExperience(withLatest(latest));
    return { experience, store: storeOf(experience) };
  }, [key]);
  useEffect(() => () => void open.experience.end(), [open]);
  return open;
}

export type UsedExperience = PlayerState & {
  messages: readonly Message[];
  experience: Experience;
  start(): Promise<void>;
  end(): Promise<void>;
  /** For the element that shall hold the player. */
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
