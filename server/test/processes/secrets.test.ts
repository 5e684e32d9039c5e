import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import type { Answer, Call } from '@session-launch/testing/http.ts';
import { leaks, type Places, type Secrets } from '@session-launch/testing/leaks.ts';
import { connect, leave, report } from '@session-launch/testing/lifecycle.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { runtimeToken } from '@session-launch/testing/target.ts';
import { createKey, createWorld, experience, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPatiently } from '../harness/patient-postgres.ts';
import { everyFile, everyTable, everyTableIn } from '../harness/stored-places.ts';

const random = (label: string) => `${label}-${randomBytes(12).toString('hex')}`;

test('the search finds a secret in every encoding in which it could leak', () => {
  const secret = random('planted');
  const places: Places = {
    log: `{"msg":"${secret}"}`,
    column: `\\x${Buffer.from(`before ${secret}`).toString('hex')}`,
    cookie: Buffer.from(secret).toString('base64'),
    file: Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(secret), Buffer.from([0])]),
    clean: 'nothing here',
  };
  expect(leaks(places, { secret })).toEqual([
    'secret in log',
    'secret (in a URL) in log',
    'secret (hexadecimal) in column',
    'secret (base64) in cookie',
    'secret in file',
    'secret (in a URL) in file',
  ]);
});

interface Deployment {
  service: ServiceProcess;
  folder: string;
  secrets: Secrets;
  /** Reads the whole database after the service has stopped. */
  stored(): Promise<Places>;
}

const deployments: Record<
  string,
  (folder: string) => Promise<{ env: Record<string, string>; secrets: Secrets; stored(): Promise<Places> }>
> = {
  embedded: async (folder) => ({
    env: {},
    secrets: {},
    stored: async () => {
      const tables = await everyTableIn(folder);
      // Also the files beside the tables, such as the WAL.
      return { ...tables, ...(await everyFile(join(folder, 'database'))) };
    },
  }),
  PostgreSQL: async () => {
    const { url, drop } = await clonedDatabase();
    onTestFinished(drop);
    const password = random('password');
    return {
      env: { DATABASE_URL: url.replace('postgres@', `postgres:${password}@`) },
      secrets: { 'database password': password },
      stored: async () => {
        const database = await openPatiently(url);
        const tables = await everyTable(database);
        await database.close();
        return tables;
      },
    };
  },
};

async function deploy(engine: string): Promise<Deployment> {
  const { path: folder, remove } = await temporaryFolder();
  onTestFinished(remove);
  if (engine === 'embedded') await prepareDataFolder(folder);
  const { env, secrets, stored } = await deployments[engine]!(folder);
  const adminToken = random('operator');
  const service = await startProcess({
    ...env,
    DATA_DIR: folder,
    LOG_LEVEL: 'trace',
    ADMIN_TOKEN: adminToken,
  });
  onTestFinished(async () => void (await service.kill('SIGKILL')));
  const admin = (call: Call) =>
    service.admin({ ...call, headers: { Authorization: `Bearer ${adminToken}`, ...call.headers } });
  return {
    service: { ...service, admin },
    folder,
    secrets: { ...secrets, 'admin token': adminToken, 'runtime token': runtimeToken },
    stored,
  };
}

/** Sends valid and invalid requests with secrets of every kind in every place. */
async function mixedRun({ service, secrets }: Deployment, world: World, shown: Answer[]): Promise<void> {
  const idempotencyKey = random('retry');
  const pageKey = random('click');
  Object.assign(secrets, {
    'idempotency key of a server': idempotencyKey,
    'idempotency key of a page': pageKey,
  });
  const body = { experienceId: world.experienceId };
  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
  const post = (path: string, headers: Record<string, string>, content: unknown = body) =>
    service.call({ method: 'POST', path, headers, body: content });
  const page = { Origin: pageOrigin };

  /** A launch contains its token for the caller, so that response is not searched. */
  const launches: Answer[] = [];
  for (const key of [world.key, world.liveKey]) {
    launches.push(await post('/v1/sessions', { ...bearer(key), 'Idempotency-Key': idempotencyKey }));
    launches.push(await post('/v1/sessions', { ...bearer(key), 'Idempotency-Key': idempotencyKey }));
    launches.push(await post('/v1/sessions', bearer(key)));
  }
  launches.push(await post('/v1/browser-sessions', { ...page, 'Idempotency-Key': pageKey }));
  launches.push(await post('/v1/browser-sessions', { ...page, 'Idempotency-Key': pageKey }));
  launches.push(await post('/v1/public-sessions', { ...page, 'Idempotency-Key': pageKey }));
  expect(new Set(launches.map(({ status }) => status))).toEqual(new Set([200, 201]));
  const manifests = launches.map(({ json }) => json.launch ?? json);
  for (const [i, { sessionToken }] of manifests.entries()) {
    secrets[`session token ${i}`] = sessionToken;
    secrets[`signature of session token ${i}`] = sessionToken.split('.')[2];
  }
  const [{ sessionId, sessionToken }] = manifests;
  const own = { sessionId, sessionToken };
  shown.push(
    await connect(service, own),
    await connect(service, own),
    await connect(service, { sessionId, sessionToken: `${sessionToken}x` }),
    await connect(service, { sessionId: sessionToken, sessionToken }),
    await connect(service, own, `rt ${sessionToken}`),
    await report(service, [{ sessionId: sessionToken, seconds: 1, ended: sessionToken }]),
    await report(service, [{ sessionId, seconds: 1 }], sessionToken),
    await leave(service, sessionId, `${sessionToken}x`),
    await leave(service, sessionToken, sessionToken),
    await leave(service, manifests[2].sessionId, manifests[2].sessionToken),
    await post('/v1/sessions', bearer(runtimeToken)),
    await service.runtime({
      path: `/runtime/v1/reports?token=${runtimeToken}`,
      headers: bearer(sessionToken),
    }),
  );

  for (const [name, key] of Object.entries({ test: world.key, live: world.liveKey })) {
    secrets[`${name} key`] = key;
    secrets[`secret of the ${name} key`] = key.slice(key.lastIndexOf('_') + 1);
    const own = bearer(key);
    const mistyped = bearer(`${key.slice(0, -1)}_`);
    shown.push(
      await service.call({ path: `/v1/sessions/${sessionId}`, headers: own }),
      await post(`/v1/sessions/${sessionId}/end`, own),
      await service.call({ path: `/v1/projects/${world.projectId}/experiences`, headers: own }),
      await post(
        '/v1/sessions',
        { ...own, 'Idempotency-Key': idempotencyKey },
        { ...body, mode: 'presenter' },
      ),
      await post('/v1/sessions', { ...own, 'Idempotency-Key': idempotencyKey.repeat(9) }),
      await post('/v1/sessions', { ...own, 'Idempotency-Key': `${idempotencyKey}\u00e9` }),
      // A wrong key, and the right key in a wrong place.
      await post('/v1/sessions', mistyped),
      await post('/v1/sessions', { Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
      await post('/v1/sessions', { Authorization: key }),
      await post('/v1/sessions', { 'X-Api-Key': key, Cookie: `key=${key}`, 'User-Agent': key }),
      await post(`/v1/sessions?api_key=${key}&token=${sessionToken}`, {}),
      await post(`/v1/browser-sessions?key=${key}`, {}),
      await post('/v1/public-sessions', { Referer: `https://app.example.com/?key=${key}` }),
      await service.call({ path: `/v1/sessions/${key}`, headers: own }),
      await service.call({ path: `/v1/sessions/${encodeURIComponent(sessionToken)}`, headers: own }),
      await service.call({ path: `/v1/projects/${key}/experiences/${key}`, headers: own }),
      await service.call({ path: `/v1/projects/${world.projectId}/experiences/${key}`, headers: own }),
      await service.call({ path: `/nowhere/${key}/${sessionToken}?${idempotencyKey}` }),
      await service.call({ path: `/nowhere/${key.replaceAll('_', '%5f')}` }),
      await service.call({ path: `/%zz/${key}` }),
      await service.call({ path: `/avatars/${key}` }),
      await service.call({ method: 'PUT', path: `/v1/sessions?${key}`, headers: own }),
      await post('/v1/sessions', own, { experienceId: key }),
      await post('/v1/sessions', own, { experienceId: `exp_${key}` }),
      await post('/v1/sessions', own, {
        ...body,
        locale: key,
        mode: sessionToken,
        integration: { returnUrl: key },
      }),
      await post('/v1/sessions', { ...own, 'Content-Type': 'application/json' }, `{"key":"${key}"`),
      await post('/v1/sessions', { ...own, 'Content-Type': key }, 'x'),
      await post('/v1/sessions', bearer(sessionToken)),
      await post('/v1/sessions', { ...own, Origin: pageOrigin, 'Accept-Language': key }, { [key]: 1 }),
      // Mistakes of operators.
      await service.admin({ path: `/admin/projects/${world.projectId}/keys` }),
      await service.admin({ path: `/admin/projects/${world.projectId}/sessions` }),
      await service.admin({ path: `/admin/projects/${world.projectId}` }),
      await service.admin({ path: '/admin/status' }),
      await service.admin({ path: '/admin/projects', headers: bearer(key) }),
      await service.admin({ path: '/admin/projects', headers: bearer(`${secrets['admin token']}x`) }),
      await service.admin({ method: 'POST', path: `/admin/keys/${key}/revoke` }),
      await service.admin({ path: `/admin/projects/${world.projectId}/sessions?cursor=${key}` }),
      await service.admin({ path: `/admin/${key}` }),
    );
  }
  const operator = bearer(secrets['admin token'] as string);
  shown.push(
    await post('/v1/sessions', operator),
    await service.call({ path: '/metrics', headers: operator }),
    await service.call({ path: `/admin/projects?token=${secrets['admin token']}` }),
    await service.call({ path: '/.well-known/jwks.json' }),
    await service.call({ path: '/openapi.json' }),
    await service.call({ path: '/' }),
  );
  const password = random('password');
  secrets['password in a project file'] = password;
  const wrong = {
    ...world.file,
    project: { ...world.file.project, allowedOrigins: [`https://me:${password}@a.example`] },
  };
  shown.push(await service.admin({ method: 'POST', path: '/admin/projects', body: wrong }));
}

describe.each(Object.keys(deployments))('%s', (engine) => {
  test('no key, token or idempotency key appears in a log, an error, a metric or the database', async () => {
    const deployment = await deploy(engine);
    const { service, folder, secrets } = deployment;
    const world = await createWorld(service, {
      experiences: [experience({ public: true, allowedOrigins: [pageOrigin] })],
    });
    const shown: Answer[] = [];
    await mixedRun(deployment, world, shown);

    // A non-secret value in the same places: the search must find it, which proves that it looks there.
    const planted = random('planted');
    await createKey(service, world.projectId, { name: planted });
    shown.push(await service.call({ path: `/${planted}` }));
    const { status, text: metrics } = await service.admin({ path: '/metrics' });
    expect(status).toBe(200);
    expect(metrics).toMatch(/session_launch_mints_total\{door="server",outcome="API_KEY_INVALID"\} \d/);

    const signing = JSON.parse(readFileSync(join(folder, 'signing-keys.json'), 'utf8'));
    secrets['signing key'] = signing.keys[0].d;
    expect(secrets['signing key']?.length).toBeGreaterThan(40);
    expect((await service.kill('SIGTERM')).code).toBe(0);

    const stored = await deployment.stored();
    const places: Places = {
      'standard output': service.stdout(),
      'standard error': service.stderr(),
      metrics,
      ...stored,
    };
    for (const [i, answer] of shown.entries()) {
      places[`answer ${i} (${answer.status})`] = JSON.stringify(answer.headers) + answer.text;
    }
    expect(leaks(places, secrets)).toEqual([]);
    expect(Object.keys(secrets).length).toBeGreaterThan(25);
    expect(leaks(places, { planted })).toEqual(
      expect.arrayContaining(['planted in standard error', 'planted in table public.api_keys']),
    );
    // Proves that the run stored data.
    expect(stored['table public.sessions']).toContain(world.experienceId);
    expect(stored['table public.idempotency_keys']).toMatch(/\S/);
    expect(shown.filter(({ status: code }) => code >= 400).length).toBeGreaterThan(50);
    expect(shown.filter(({ status: code }) => code >= 500)).toEqual([]);
  });
});
