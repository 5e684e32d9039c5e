import type { Scope } from '@session-launch/contract/operation';
import { deployedService } from '@session-launch/testing/deployment.ts';
import {
  apply,
  createKey,
  expectError,
  experience,
  pageOrigin,
  project,
  runtime,
  uniqueId,
} from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import {
  browserEndpoint,
  type Endpoint,
  type Loose,
  publicEndpoint,
  serverEndpoint,
} from './mint-endpoints.ts';

const service = deployedService();
const elsewhere = 'https://elsewhere.example.com';

/** A request that would succeed, with everything about it and its project that a failure can change. */
interface Attempt {
  method: string;
  path: string;
  key: { sent: boolean; scopes: Scope[]; mode: 'test' | 'live'; foreign: boolean };
  origin: string | undefined;
  idempotencyKey: string | undefined;
  mediaType: string;
  fields: Loose;
  truncated: boolean;
  oversized: boolean;
  project: Loose;
  experience: Loose;
}

interface Failure {
  code: string;
  status: number;
  spoil(attempt: Attempt): void;
}

const wrongRoute: Failure[] = [
  { code: 'NOT_FOUND', status: 404, spoil: (a) => Object.assign(a, { path: `${a.path}/no/such/address` }) },
  { code: 'METHOD_NOT_ALLOWED', status: 405, spoil: (a) => Object.assign(a, { method: 'PUT' }) },
];
const wrongKey: Failure[] = [
  { code: 'API_KEY_INVALID', status: 401, spoil: (a) => Object.assign(a.key, { sent: false }) },
  {
    code: 'INSUFFICIENT_SCOPE',
    status: 403,
    spoil: (a) => Object.assign(a.key, { scopes: ['sessions:read', 'catalog:read'] }),
  },
];
const noOrigin: Failure = {
  code: 'ORIGIN_REQUIRED',
  status: 403,
  spoil: (a) => Object.assign(a, { origin: undefined }),
};
const wrongIdempotencyKey: Failure = {
  code: 'IDEMPOTENCY_KEY_INVALID',
  status: 400,
  spoil: (a) => Object.assign(a, { idempotencyKey: 'k'.repeat(257) }),
};
const wrongBody: Failure[] = [
  {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    status: 415,
    spoil: (a) => Object.assign(a, { mediaType: 'text/plain' }),
  },
  { code: 'PAYLOAD_TOO_LARGE', status: 413, spoil: (a) => Object.assign(a, { oversized: true }) },
  { code: 'INVALID_JSON', status: 400, spoil: (a) => Object.assign(a, { truncated: true }) },
  { code: 'INVALID_REQUEST', status: 400, spoil: (a) => Object.assign(a.fields, { mode: 'shouting' }) },
  {
    code: 'LOCALE_CONFLICT',
    status: 400,
    spoil: (a) => Object.assign(a.fields, { secondaryLocale: 'es', learningLocale: 'es-MX' }),
  },
];
const archived: Failure = {
  code: 'EXPERIENCE_NOT_FOUND',
  status: 404,
  spoil: (a) => Object.assign(a.experience, { status: 'archived' }),
};
const notPublic: Failure = {
  code: 'EXPERIENCE_NOT_FOUND',
  status: 404,
  spoil: (a) => Object.assign(a.experience, { public: false }),
};
const anotherProjects: Failure = {
  code: 'EXPERIENCE_FORBIDDEN',
  status: 403,
  spoil: (a) => Object.assign(a.key, { foreign: true }),
};
const wrongPage: Failure[] = [
  {
    code: 'BROWSER_EMBEDS_DISABLED',
    status: 403,
    spoil: (a) => Object.assign(a.project, { browserEmbeds: false }),
  },
  {
    code: 'ORIGIN_NOT_ALLOWED',
    status: 403,
    spoil: (a) => {
      a.project.allowedOrigins = [elsewhere];
      a.experience.allowedOrigins = [elsewhere];
    },
  },
];
const rateLimited: Failure = {
  code: 'RATE_LIMITED',
  status: 429,
  spoil: (a) => Object.assign(a.project.limits, { mintsPerMinutePerClient: 0 }),
};
const wrongRevision: Failure[] = [
  {
    code: 'EXPERIENCE_NOT_PUBLISHED',
    status: 404,
    spoil: (a) => {
      a.experience.status = 'draft';
      a.key.mode = 'live';
    },
  },
  {
    code: 'SECONDARY_LOCALE_REQUIRED',
    status: 400,
    spoil: (a) =>
      Object.assign(a.experience, {
        runtime: runtime({
          languages: { dual: true, default: 'en', conversation: 'match', paired: 'match' },
        }),
      }),
  },
];
const overQuota: Failure = {
  code: 'QUOTA_EXCEEDED',
  status: 429,
  spoil: (a) => Object.assign(a.project.limits, { sessionsPerDay: 0 }),
};

/** The specified order of checks for each mint endpoint. */
const orders: { name: string; endpoint: Endpoint; failures: Failure[] }[] = [
  {
    name: 'POST /v1/sessions, archived experience',
    endpoint: serverEndpoint,
    failures: [...wrongRoute, ...wrongKey, wrongIdempotencyKey, ...wrongBody, archived],
  },
  {
    name: 'POST /v1/sessions, experience of another project',
    endpoint: serverEndpoint,
    failures: [
      ...wrongRoute,
      ...wrongKey,
      wrongIdempotencyKey,
      ...wrongBody,
      anotherProjects,
      ...wrongRevision,
    ],
  },
  {
    name: 'POST /v1/browser-sessions',
    endpoint: browserEndpoint,
    failures: [
      ...wrongRoute,
      noOrigin,
      wrongIdempotencyKey,
      ...wrongBody,
      archived,
      ...wrongPage,
      rateLimited,
      ...wrongRevision,
      overQuota,
    ],
  },
  {
    name: 'POST /v1/public-sessions',
    endpoint: publicEndpoint,
    failures: [
      ...wrongRoute,
      noOrigin,
      ...wrongBody,
      notPublic,
      ...wrongPage,
      rateLimited,
      ...wrongRevision,
      overQuota,
    ],
  },
];

/** Applies later failures first, so that an earlier one wins if two change the same thing. */
async function attempt(endpoint: Endpoint, failures: readonly Failure[]) {
  const made: Attempt = {
    method: 'POST',
    path: endpoint.path,
    key: { sent: true, scopes: ['sessions:create'], mode: 'test', foreign: false },
    origin: pageOrigin,
    idempotencyKey: undefined,
    mediaType: 'application/json',
    fields: {},
    truncated: false,
    oversized: false,
    project: project({ id: undefined }),
    experience: { public: true, allowedOrigins: [pageOrigin] },
  };
  for (const failure of failures.toReversed()) failure.spoil(made);
  const { fields, key } = made;
  const { projectId, experienceId } = await settled(made);
  const text = JSON.stringify({ experienceId, ...fields });
  const body = `${made.oversized ? ' '.repeat(65_537) : ''}${made.truncated ? text.slice(0, -1) : text}`;
  return service.call({
    method: made.method,
    path: made.path,
    headers: {
      'Content-Type': made.mediaType,
      ...(endpoint === serverEndpoint ? await authorization(projectId, key) : {}),
      ...(endpoint !== serverEndpoint && made.origin !== undefined ? { Origin: made.origin } : {}),
      ...(made.idempotencyKey === undefined ? {} : { 'Idempotency-Key': made.idempotencyKey }),
    },
    body,
  });
}

/** Caches what attempts with equal settings share: no attempt changes it. */
function once<T>(kept: Map<string, Promise<T>>, wanted: unknown, make: () => Promise<T>): Promise<T> {
  const name = JSON.stringify(wanted);
  const made = kept.get(name) ?? make();
  kept.set(name, made);
  made.catch(() => kept.delete(name));
  return made;
}

const worlds = new Map<string, Promise<{ projectId: string; experienceId: string }>>();
const keys = new Map<string, Promise<{ key: string }>>();

/** Returns a project and an experience with the settings of an attempt. */
function settled(wanted: Attempt) {
  return once(worlds, [wanted.project, wanted.experience], async () => {
    const file = {
      project: project({ ...wanted.project, id: uniqueId('prj') }),
      experiences: [experience(wanted.experience)],
    };
    const applied = await apply(service, file);
    expect(applied.status, applied.text).toBe(200);
    return { projectId: file.project.id as string, experienceId: file.experiences[0]!.id as string };
  });
}

async function authorization(projectId: string, wanted: Attempt['key']): Promise<Record<string, string>> {
  if (!wanted.sent) return {};
  const { key } = await once(keys, [projectId, wanted], async () => {
    const owner = wanted.foreign ? uniqueId('prj') : projectId;
    if (wanted.foreign) await apply(service, { project: { id: owner, name: 'Another project' } });
    return createKey(service, owner, { mode: wanted.mode, scopes: wanted.scopes });
  });
  return { Authorization: `Bearer ${key}` };
}

describe.each(orders.map((order) => [order.name, order] as const))('%s', (_name, { endpoint, failures }) => {
  const named = failures.map((failure) => [failure.code, failure] as const);
  const pairs = failures.flatMap((earlier, i) =>
    failures.slice(i + 1).map((later) => [earlier.code, later.code, earlier, later] as const),
  );

  test('launches when nothing is wrong', async () => {
    const answer = await attempt(endpoint, []);
    expect(answer.status, answer.text).toBe(endpoint.launches);
  });

  test.each(named)('answers %s when only that is wrong', async (code, failure) => {
    expectError(await attempt(endpoint, [failure]), failure.status, code);
  });

  test.each(pairs)('answers %s rather than %s', async (code, _later, earlier, later) => {
    expectError(await attempt(endpoint, [earlier, later]), earlier.status, code);
  });

  test.each(named)('answers %s when everything after it is wrong as well', async (code, failure) => {
    expectError(await attempt(endpoint, failures.slice(failures.indexOf(failure))), failure.status, code);
  });
});

test('two INVALID_REQUEST violations in one body are both listed', async () => {
  const answer = await attempt(serverEndpoint, [
    {
      code: 'INVALID_REQUEST',
      status: 400,
      spoil: (a) => Object.assign(a.fields, { mode: 'shouting', speechOnly: 'yes' }),
    },
  ]);
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(answer.json.error.details.map((violation: Loose) => violation.path).sort()).toEqual([
    'mode',
    'speechOnly',
  ]);
});

test('the public endpoint ignores Idempotency-Key, even one that is too long', async () => {
  expect((await attempt(publicEndpoint, [wrongIdempotencyKey])).status).toBe(200);
});
