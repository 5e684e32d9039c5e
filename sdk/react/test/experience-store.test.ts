import type { Experience } from '@session-launch/browser';
import { expect, test } from 'vitest';
import { storeOf } from '../src/experience-store.ts';

test('a new subscription reports a state that changed since the last one', () => {
  const experience = {
    state: 'live',
    mode: null,
    mic: {},
    output: {},
    session: null,
    error: null,
    messages: [],
  };
  const store = storeOf(Object.assign(experience, { on: () => () => {} }) as unknown as Experience);
  let changes = 0;
  const subscribe = () => store.subscribe(() => changes++);
  subscribe()();
  expect([store.snapshot().state, changes]).toEqual(['live', 1]);
  experience.state = 'ended';
  subscribe()();
  expect([store.snapshot().state, changes]).toEqual(['ended', 2]);
  subscribe();
  expect(changes).toBe(2);
});
