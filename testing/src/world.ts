import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer } from './http.ts';
import type { Target } from './target.ts';

export const pageOrigin = 'https://app.example.com';

/** A project file as plain data with deep overrides. */
// biome-ignore lint/suspicious/noExplicitAny: tests write valid and invalid files alike
type Loose = Record<string, any>;

export function uniqueId(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}

export function runtime(overrides: Loose = {}): Loose {
  return {
    mode: 'conversation',
    speechInputMode: 'auto',
    languages: { dual: false, default: 'en', conversation: 'match', paired: 'match' },
    characters: [
      {
        characterId: 'ada',
        name: 'Ada',
        voice: { voiceId: 'ada-voice' },
        avatar: { avatarId: 'ada', modelPath: '/avatars/ada/model.glb' },
      },
    ],
    location: { locationId: 'lab', scene: { lighting: 'noon' }, assets: ['/locations/lab/wide.svg'] },
    transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
    ...overrides,
  };
}

export function experience(overrides: Loose = {}): Loose {
  const id = overrides.id ?? uniqueId('exp');
  return {
    id,
    slug: id.replaceAll('_', '-').toLowerCase(),
    title: `Experience ${id}`,
    status: 'published',
    runtime: runtime(),
    ...overrides,
  };
}

export function project(overrides: Loose = {}): Loose {
  return {
    id: uniqueId('prj'),
    name: 'Test project',
    browserEmbeds: true,
    allowedOrigins: [pageOrigin],
    limits: { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: null },
    ...overrides,
  };
}

export async function apply(service: Target, file: Loose): Promise<Answer> {
  return service.admin({ method: 'POST', path: '/admin/projects', body: file });
}

export async function createKey(
  service: Target,
  projectId: string,
  wish: Loose = {},
): Promise<{ keyId: string; key: string }> {
  const answer = await service.admin({
    method: 'POST',
    path: `/admin/projects/${projectId}/keys`,
    body: { mode: 'test', scopes: ['sessions:create', 'sessions:read', 'catalog:read'], ...wish },
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.json;
}

/** Returns all sessions of a project, newest first. Expects them to fit on one page. */
export async function sessionsOf(service: Target, projectId: string): Promise<Loose[]> {
  const answer = await service.admin({ path: `/admin/projects/${projectId}/sessions?limit=500` });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json.nextCursor).toBeUndefined();
  return answer.json.sessions;
}

export interface World {
  projectId: string;
  experienceId: string;
  file: { project: Loose; experiences: Loose[] };
  key: string;
  keyId: string;
  liveKey: string;
}

/** Creates a project with one published experience, a test key and a live key. */
export async function createWorld(
  service: Target,
  overrides: { project?: Loose; experience?: Loose; experiences?: Loose[] } = {},
): Promise<World> {
  const file = {
    project: project(overrides.project),
    experiences: overrides.experiences ?? [experience(overrides.experience)],
  };
  const applied = await apply(service, file);
  expect(applied.status, applied.text).toBe(200);
  const projectId = file.project.id as string;
  const [{ key, keyId }, live] = await Promise.all([
    createKey(service, projectId),
    createKey(service, projectId, { mode: 'live' }),
  ]);
  return { projectId, experienceId: file.experiences[0]?.id as string, file, key, keyId, liveKey: live.key };
}

type Headers = Record<string, string | string[]>;

export function mintFromServer(
  service: Target,
  key: string,
  body: unknown,
  headers: Headers = {},
): Promise<Answer> {
  return service.call({
    method: 'POST',
    path: '/v1/sessions',
    headers: { Authorization: `Bearer ${key}`, ...headers },
    body,
  });
}

const mintFromPage =
  (endpoint: 'browser' | 'public') =>
  (service: Target, body: unknown, headers: Headers = {}): Promise<Answer> =>
    service.call({
      method: 'POST',
      path: `/v1/${endpoint}-sessions`,
      headers: { Origin: pageOrigin, ...headers },
      body,
    });

export const mintFromBrowser = mintFromPage('browser');
export const mintFromPublic = mintFromPage('public');

export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json.error?.code }, answer.text).toEqual({ status, code });
  expect(answer.json.error.requestId).toBe(answer.headers['x-request-id']);
  expect(answer.json.error.message).toBeTypeOf('string');
}
