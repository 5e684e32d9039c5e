import { randomUUID } from 'node:crypto';
import type { Mind } from '@session-launch/contract/project-file/mind';
import type { Connected } from '@session-launch/contract/runtime/lifecycle';

export interface SessionOptions {
  mind?: Mind;
  locale?: string;
  secondaryLocale?: string;
  mode?: 'conversation' | 'presenter';
  speechInputMode?: 'auto' | 'manual' | 'off';
  limits?: { maxSeconds: number; idleSeconds: number };
  characters?: { characterId: string; name: string }[];
}

/** The service's response to a `connect` request. */
export function connectedSession(options: SessionOptions = {}, sessionId = `ses_${randomUUID()}`): Connected {
  const { locale = 'en', secondaryLocale, mode = 'conversation', speechInputMode = 'auto' } = options;
  const limits = options.limits ?? { maxSeconds: 900, idleSeconds: 120 };
  const second = secondaryLocale === undefined ? {} : { secondaryLocale };
  const shared = { sessionId, mode, speechInputMode, speechOnly: false, locale, ...second, livemode: false };
  return {
    session: {
      ...shared,
      projectId: 'prj_test',
      experienceId: 'exp_test',
      revision: 1,
      status: 'active',
      source: 'server',
      createdAt: '2026-03-01T09:30:00.000Z',
      expiresAt: '2026-03-01T09:40:00.000Z',
      usage: { seconds: 0 },
    },
    manifest: {
      ...shared,
      schemaVersion: 1,
      expiresAt: '2026-03-01T09:40:00.000Z',
      experience: { experienceId: 'exp_test', slug: 'test', title: 'Test', revision: 1 },
      capabilities: ['speech-output'],
      characters: options.characters ?? [{ characterId: 'maren', name: 'Maren' }],
      transport: { type: 'websocket', url: 'ws://127.0.0.1/runtime' },
      limits,
      links: { leave: 'http://127.0.0.1/leave' },
      player: {},
    },
    mind: options.mind ?? {},
    limits,
  };
}
