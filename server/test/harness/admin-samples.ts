import type { Operation } from '@session-launch/contract/operation';
import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { experience, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { createLogin, createPlace, exampleAt } from './admin-places.ts';
import { drawing, drawingRig } from './faces.ts';
import { codeFor, cookieFrom } from './operators.ts';
import { png } from './pictures.ts';
import type { Service } from './service.ts';

/** What a sample request needs. */
export interface SampleDeps {
  service: Service;
  /** A project of its own, with one published experience and two keys. */
  world: World;
}

/** Prepares what the request needs, and returns the request. A request with a cookie is sent without the admin token. */
type Sample = (deps: SampleDeps) => Promise<Call> | Call;

const onVersion = (version: number) => ({ 'If-Match': `"${version}"` });
const ofProject = ({ world }: SampleDeps, rest = '') => `/admin/projects/${world.projectId}${rest}`;
const ofExperience = ({ world }: SampleDeps, rest = '') => `/admin/experiences/${world.experienceId}${rest}`;

/** Requests that need more than the examples of the contract, by operation id. */
export const samples: Record<string, Sample> = {
  applyProjectFile: ({ world }) => ({
    method: 'POST',
    path: '/admin/projects',
    body: { ...world.file, project: { ...world.file.project, name: 'Renamed' } },
  }),
  deleteProject: (deps) => ({
    method: 'DELETE',
    path: ofProject(deps, `?confirm=${deps.world.projectId}`),
  }),
  createExperience: (deps) => ({
    method: 'POST',
    path: ofProject(deps, '/experiences'),
    body: { experience: experience({ status: 'draft' }) },
  }),
  orderExperiences: async (deps) => {
    const [first] = deps.world.file.experiences;
    const second = experience({ sortOrder: 20 });
    const file = { ...deps.world.file, experiences: [{ ...first, sortOrder: 10 }, second] };
    const { json } = await deps.service.admin({ method: 'POST', path: '/admin/projects', body: file });
    return {
      method: 'PUT',
      path: ofProject(deps, '/order'),
      headers: onVersion(json.version),
      body: { experienceIds: [second.id, first!.id] },
    };
  },
  // An address to which nothing is sent.
  tryTool: (deps) => ({
    method: 'POST',
    path: ofProject(deps, '/tool-calls'),
    body: { name: 'book_table', url: 'https://127.0.0.1/', arguments: {} },
  }),
  saveExperience: (deps) => ({
    method: 'PUT',
    path: ofExperience(deps),
    headers: onVersion(1),
    body: { experience: { ...deps.world.file.experiences[0], title: 'Renamed' } },
  }),
  deleteExperience: (deps) => ({ method: 'DELETE', path: ofExperience(deps) }),
  publishExperience: async (deps) => {
    const { json } = await deps.service.admin(await samples.saveExperience!(deps));
    return {
      method: 'POST',
      path: ofExperience(deps, '/publish'),
      headers: onVersion(json.version),
      body: {},
    };
  },
  endSessionAsOperator: async ({ service, world }) => {
    const { sessionId } = await launched(service, world);
    return { method: 'POST', path: `/admin/sessions/${sessionId}/end` };
  },
  forgetUser: async (deps) => {
    await mintFromServer(deps.service, deps.world.key, {
      experienceId: deps.world.experienceId,
      userId: 'planted-user',
      metadata: { note: 'planted-metadata' },
    });
    return { method: 'DELETE', path: ofProject(deps, '/users/planted-user') };
  },
  uploadArt: (deps) => ({
    method: 'POST',
    path: ofProject(deps, '/art?kind=avatar'),
    headers: { 'Content-Type': 'image/png' },
    body: png(8, 8),
  }),
  // The place has the face of the contract's example already.
  createFace: (deps) => ({
    method: 'POST',
    path: ofProject(deps, '/faces'),
    body: {
      full: drawing().toString('base64'),
      thumb: drawing().toString('base64'),
      rig: drawingRig,
      name: 'Inês',
    },
  }),
  testWebhook: async (deps) => {
    const { webhookId } = await ownWebhook(deps);
    return { method: 'POST', path: ofProject(deps, `/webhooks/${webhookId}/test`) };
  },
  replayWebhookDelivery: async (deps) => {
    const { webhookId } = await ownWebhook(deps);
    const path = ofProject(deps, `/webhooks/${webhookId}`);
    const { json } = await deps.service.admin({ method: 'POST', path: `${path}/test` });
    return { method: 'POST', path: `${path}/deliveries/${json.eventId}/replay` };
  },
  login: async ({ service }) => ({
    method: 'POST',
    path: '/admin/login',
    body: { code: await codeFor(service) },
  }),
  finishOidc: ({ service }) => oidcCallback(service),
  logout: async ({ service }) => {
    const { cookie } = await createLogin(service);
    return {
      method: 'POST',
      path: '/admin/logout',
      headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' },
    };
  },
};

/** A webhook whose receiver refuses connections. */
async function ownWebhook(deps: SampleDeps): Promise<{ webhookId: string }> {
  const body = { url: 'http://127.0.0.1:9/', events: ['session.ended'] };
  const { json } = await deps.service.admin({ method: 'POST', path: ofProject(deps, '/webhooks'), body });
  return json;
}

/**
 * A request of an operation that changes something: the first example of the contract, at an own place, unless there is a sample above. It
 * must succeed and change something.
 */
export async function sampleOf(operation: Operation, deps: SampleDeps): Promise<Call> {
  const sample = samples[operation.operationId];
  if (sample !== undefined) return sample(deps);
  const place = await createPlace(deps.service, 'viewer', deps.world);
  return { ...exampleAt(operation, place), ...(operation.isVersioned ? { headers: onVersion(1) } : {}) };
}

/** Signs in at the identity provider, and returns the request with which the browser comes back. */
async function oidcCallback(service: Service): Promise<Call> {
  const callback = '/admin/oidc/callback';
  const jar = new Map<string, string>();
  let url = new URL('/admin/oidc/start', service.adminUrl);
  let pending = '';
  while (url.pathname !== callback) {
    const isOwn = url.origin === new URL(service.adminUrl).origin;
    const Cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const answer = await send(url.origin, {
      path: url.pathname + url.search,
      headers: isOwn ? {} : { Cookie },
    });
    if (answer.headers.location === undefined) throw new Error(`no redirect: ${answer.text}`);
    if (isOwn) pending = cookieFrom(answer);
    else
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [name = '', value = ''] = line.split(';', 1)[0]!.split(/=(.*)/);
        jar.set(name, value);
      }
    url = new URL(answer.headers.location, url);
  }
  return { path: url.pathname + url.search, headers: { Cookie: pending } };
}

/** The secrets in a response, which the audit must not contain. */
export function secretsIn({ text, headers }: Answer): string[] {
  const found = (headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]!.split(/=(.*)/)[1]!);
  if (text === '') return found.filter((secret) => secret !== '');
  JSON.stringify(JSON.parse(text), (name, value) => {
    if (typeof value !== 'string') return value;
    if (name === 'key' || name === 'token' || name === 'secret' || name === 'code') found.push(value);
    // Sign-in links and previews have their secret in the fragment.
    if (name === 'url' && value.includes('#'))
      found.push(value.slice(value.indexOf('#') + 1).replace(/^code=/, ''));
    return value;
  });
  return found.filter((secret) => secret !== '');
}

/** The secrets in a request: codes, tokens and cookies. */
export function secretsOf({ body, headers = {}, path }: Call): string[] {
  const { code, token } = (Buffer.isBuffer(body) ? {} : (body ?? {})) as Record<string, unknown>;
  const cookie = String(headers.Cookie ?? '').split(/=(.*)/)[1];
  const returned = new URL(path, 'http://service').searchParams.get('code');
  return [code, token, cookie, returned].filter(
    (secret): secret is string => typeof secret === 'string' && secret !== '',
  );
}
