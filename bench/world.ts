import { adminToken, type Contestant } from './contestant.ts';
import type { Load } from './load.ts';

export const origin = 'https://app.example.com';
const projectId = 'prj_bench';
const experienceId = 'exp_bench_0';

export const farLimits = {
  mintsPerMinutePerClient: 100_000_000,
  mintsPerMinute: 100_000_000,
  sessionsPerDay: 1_000_000_000,
};

/** A published experience of a project file. Ids are global, so each project uses a different `word`. */
export function experience(word: string, i: number) {
  return {
    id: `exp_${word}_${i}`,
    slug: `${word}-${i}`,
    title: `Benchmark experience ${i}`,
    sortOrder: i,
    status: 'published',
    avatarId: 'ada',
    thumbnailPath: '/avatars/ada/thumb.svg',
    galleryThumb: { avatarImage: '/avatars/ada/full.svg', backgroundImage: '/locations/lab/wide.svg' },
    runtime: {
      characters: [
        {
          characterId: 'ada',
          name: 'Ada',
          voice: { voiceId: 'ada-voice', speed: 1 },
          avatar: { avatarId: 'ada', modelPath: '/avatars/ada/model.glb' },
        },
      ],
      location: { locationId: 'lab', scene: { lighting: 'noon' }, assets: ['/locations/lab/wide.svg'] },
      transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
    },
  };
}

/** A project with a hundred experiences and limits that are enabled but never reached. */
const projectFile = {
  project: {
    id: projectId,
    name: 'Benchmark',
    browserEmbeds: true,
    allowedOrigins: [origin],
    limits: farLimits,
  },
  experiences: Array.from({ length: 100 }, (_, i) => experience('bench', i)),
};

const mintBody = JSON.stringify({
  experienceId,
  locale: 'en-GB',
  mode: 'conversation',
  userId: 'user-1234',
});
const browserBody = JSON.stringify({ experienceId, locale: 'en-GB', mode: 'conversation' });

export interface World {
  apiKey: string;
  /** A launch as JSON, for contestants that return a response of the same size. */
  launch: string;
}

/** Sends a request to the admin API; throws if the response is an error. */
export async function administer<T>(contestant: Contestant, path: string, body: unknown = {}): Promise<T> {
  const response = await fetch(`${contestant.adminUrl}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export function createKey(contestant: Contestant, project: string): Promise<{ keyId: string; key: string }> {
  return administer(contestant, `/admin/projects/${project}/keys`, {
    mode: 'live',
    scopes: ['sessions:create', 'sessions:read', 'catalog:read'],
  });
}

export async function provision(contestant: Contestant): Promise<World> {
  await administer(contestant, '/admin/projects', projectFile);
  const { key } = await createKey(contestant, projectId);
  const minted = await fetch(`${contestant.url}/v1/sessions`, {
    method: 'POST',
    ...mintHeaders(key),
    body: mintBody,
  });
  return { apiKey: key, launch: await minted.text() };
}

function mintHeaders(key: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } };
}

export interface Request extends Pick<Load, 'url' | 'method' | 'headers' | 'body' | 'freshKeys'> {
  /** The expected status of every response. */
  status: number;
}

export function serverMint(url: string, key: string): Request {
  return { url: `${url}/v1/sessions`, method: 'POST', ...mintHeaders(key), body: mintBody, status: 201 };
}

/** All requests that are measured against our service. */
export async function requests(
  contestant: Contestant,
  { apiKey, launch }: World,
): Promise<Record<string, Request>> {
  const { url } = contestant;
  const mint = serverMint(url, apiKey);
  const catalogUrl = `${url}/v1/projects/${projectId}/experiences`;
  const headers = { authorization: `Bearer ${apiKey}` };
  const catalog = await fetch(catalogUrl, { headers });
  const etag = catalog.headers.get('etag') ?? '';
  const replay = { ...mint, headers: { ...mint.headers, 'idempotency-key': 'one-key-for-all' } };
  // Creates the launch that is replayed. Of 64 concurrent first requests, all but one would be rejected.
  await fetch(replay.url, { method: 'POST', headers: replay.headers, body: mintBody });
  const { sessionId } = (JSON.parse(launch) as { session: { sessionId: string } }).session;
  return {
    'server mint': mint,
    'server mint, fresh key': { ...mint, freshKeys: true },
    'server mint, replay': replay,
    'browser mint': {
      url: `${url}/v1/browser-sessions`,
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: browserBody,
      status: 201,
    },
    'catalog, not modified': {
      url: catalogUrl,
      method: 'GET',
      headers: { ...headers, 'if-none-match': etag },
      status: 304,
    },
    'catalog, whole': { url: catalogUrl, method: 'GET', headers, status: 200 },
    'session read': { url: `${url}/v1/sessions/${sessionId}`, method: 'GET', headers, status: 200 },
  };
}
