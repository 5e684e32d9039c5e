import { expect, test } from 'vitest';
import type { LiveExperience } from '../src/core/experience.ts';
import { isHeard } from '../src/player/chrome.ts';

test.each([
  ['on', false, 'server', true],
  ['on', true, 'server', false],
  ['on', true, 'client', true],
  ['muted', false, 'server', false],
])(
  'the microphone %s, sound blocked %s, hearing %s: shown as on is %s',
  (status, blocked, kind, expected) => {
    const experience = { mic: { status }, output: { blocked } } as unknown as LiveExperience;
    const [mind, speech, hearing] = [{ kind: 'script' }, { kind: 'server' }, { kind }];
    expect(isHeard(experience, { mind, speech, hearing })).toBe(expected);
  },
);
