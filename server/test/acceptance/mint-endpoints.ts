import type { Answer, Call } from '@session-launch/testing/http.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { createWorld, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { expect } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: tests write and read bodies freely
export type Loose = Record<string, any>;

/** A mint endpoint. */
export interface Endpoint {
  name: 'sessions' | 'browser-sessions' | 'public-sessions';
  path: string;
  /** Status of a successful launch. */
  launches: 200 | 201;
  /** Headers that authorise the caller. */
  admission(world: World): Record<string, string>;
  /** The same in live mode; browser sessions are always live. */
  liveAdmission(world: World): Record<string, string>;
}

/** A mint endpoint that requires an Origin and supports CORS. */
export interface PageEndpoint extends Endpoint {
  /** Settings of a project with this allowlist for the endpoint. */
  listing(allowedOrigins: string[]): { project?: Loose; experience?: Loose };
  /** Replaces that allowlist in a project file. */
  relist(file: World['file'], allowedOrigins: string[]): void;
}

export const serverEndpoint: Endpoint = {
  name: 'sessions',
  path: '/v1/sessions',
  launches: 201,
  admission: (world) => ({ Authorization: `Bearer ${world.key}` }),
  liveAdmission: (world) => ({ Authorization: `Bearer ${world.liveKey}` }),
};

const fromPage = () => ({ Origin: pageOrigin });

export const browserEndpoint: PageEndpoint = {
  name: 'browser-sessions',
  path: '/v1/browser-sessions',
  launches: 201,
  admission: fromPage,
  liveAdmission: fromPage,
  listing: (allowedOrigins) => ({ project: { allowedOrigins } }),
  relist: (file, allowedOrigins) => Object.assign(file.project, { allowedOrigins }),
};

export const publicEndpoint: PageEndpoint = {
  name: 'public-sessions',
  path: '/v1/public-sessions',
  launches: 200,
  admission: fromPage,
  liveAdmission: fromPage,
  listing: (allowedOrigins) => ({ experience: { allowedOrigins } }),
  relist: (file, allowedOrigins) => {
    for (const experience of file.experiences) Object.assign(experience, { allowedOrigins });
  },
};

export const endpoints: readonly Endpoint[] = [serverEndpoint, browserEndpoint, publicEndpoint];
export const pageEndpoints: readonly PageEndpoint[] = [browserEndpoint, publicEndpoint];

/** Creates a project whose experience can be launched at every mint endpoint. */
export function openWorld(
  service: Target,
  overrides: { project?: Loose; experience?: Loose; experiences?: Loose[] } = {},
): Promise<World> {
  return createWorld(service, {
    ...overrides,
    experience: { public: true, allowedOrigins: [pageOrigin], ...overrides.experience },
  });
}

const sharedWorlds = new WeakMap<Target, Map<string, Promise<World>>>();

/** Shares one such project among tests that neither change it nor count its sessions. */
export function sharedWorld(
  service: Target,
  overrides: { project?: Loose; experience?: Loose } = {},
): Promise<World> {
  const worlds = sharedWorlds.get(service) ?? new Map<string, Promise<World>>();
  sharedWorlds.set(service, worlds);
  const settings = JSON.stringify(overrides);
  const world = worlds.get(settings) ?? openWorld(service, overrides);
  worlds.set(settings, world);
  return world;
}

/** Sends an authorised mint request; `headers` and `call` override parts of it. */
export function mintAt(
  service: Target,
  endpoint: Endpoint,
  world: World,
  body: unknown,
  headers: Record<string, string | string[]> = {},
  call: Partial<Call> = {},
): Promise<Answer> {
  return service.call({
    method: 'POST',
    path: endpoint.path,
    headers: { ...endpoint.admission(world), ...headers },
    body,
    ...call,
  });
}

/** Sends a body unchanged, with the JSON media type. */
export function mintRawAt(
  service: Target,
  endpoint: Endpoint,
  world: World,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return mintAt(service, endpoint, world, body, { 'Content-Type': 'application/json', ...headers });
}

/** The same with chunked transfer encoding, without Content-Length. */
export function mintChunkedAt(
  service: Target,
  endpoint: Endpoint,
  world: World,
  body: string,
): Promise<Answer> {
  return mintAt(service, endpoint, world, body, { 'Content-Type': 'application/json' }, { chunked: true });
}

export interface Launched {
  manifest: Loose;
  /** The session in the response; the public endpoint returns none. */
  session?: Loose;
  answer: Answer;
}

/** Mints, expects success, and returns the parts of the response. */
export async function launch(
  service: Target,
  endpoint: Endpoint,
  world: World,
  body: Loose = {},
  headers: Record<string, string> = {},
): Promise<Launched> {
  const answer = await mintAt(
    service,
    endpoint,
    world,
    { experienceId: world.experienceId, ...body },
    headers,
  );
  expect(answer.status, answer.text).toBe(endpoint.launches);
  if (endpoint === publicEndpoint) return { manifest: answer.json, answer };
  return { manifest: answer.json.launch, session: answer.json.session, answer };
}

/** Reads the stored session of a launch, for any mint endpoint. */
export async function recordOf(service: Target, world: World, { manifest }: Launched): Promise<Loose> {
  const answer = await service.call({
    path: `/v1/sessions/${manifest.sessionId}`,
    headers: { Authorization: `Bearer ${world.key}` },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

/** Yields every field name with its value, at any depth. */
export function* everyField(
  value: unknown,
  path = '',
): Generator<{ path: string; name: string; value: unknown }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const here = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    yield { path: here, name: Array.isArray(value) ? '' : name, value: inner };
    yield* everyField(inner, here);
  }
}
