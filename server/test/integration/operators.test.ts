import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createWorld, expectError, type World } from '@session-launch/testing/world.ts';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { asConsole, codeFor, createOperator, login, signedIn, withToken } from '../harness/operators.ts';
import { startService, useService } from '../harness/service.ts';

const service = useService();
beforeEach(() => service.database.query('admin', { text: 'DELETE FROM operators' }));

const patch = (token: string, operatorId: string, body: unknown) =>
  withToken(service, token, { method: 'PATCH', path: `/admin/operators/${operatorId}`, body });
const remove = (token: string, operatorId: string) =>
  withToken(service, token, { method: 'DELETE', path: `/admin/operators/${operatorId}` });

/** Asks until `isDone`. Fails if a request that was sent five seconds after the call still gets the earlier answer. */
async function within5s(isDone: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 5_000;
  for (;;) {
    const sentAt = performance.now();
    if (await isDone()) return;
    expect(sentAt).toBeLessThan(until);
    await setTimeout(100);
  }
}

test('the token is shown once and stored as a hash', async () => {
  const { token, operatorId } = await createOperator(service, { name: 'Ada' });
  expect(token).toMatch(/^slo_[0-9a-z]{32}$/);
  const text = `SELECT o::text AS row, encode(token_hash, 'hex') AS hash FROM operators o WHERE id = $1`;
  const [row] = await service.database.query<{ row: string; hash: string }>('admin', { text }, [operatorId]);
  expect(row?.hash).toBe(createHash('sha256').update(token).digest('hex'));
  expect(row?.row).not.toContain(token.slice(4));
  expect((await service.admin({ path: '/admin/operators' })).text).not.toContain(token);
});

test('an operator’s token opens /metrics', async () => {
  const { token } = await createOperator(service);
  expect((await withToken(service, token, { path: '/metrics' })).status).toBe(200);
});

test('a new token replaces the earlier one and ends the logins', async () => {
  const { token, operatorId } = await createOperator(service);
  const cookie = await signedIn(service, operatorId);
  const answer = await service.admin({ method: 'POST', path: `/admin/operators/${operatorId}/token` });
  expect(answer.status, answer.text).toBe(200);
  const path = '/admin/me';
  expectError(await withToken(service, token, { path }), 401, 'ADMIN_TOKEN_INVALID');
  expectError(await asConsole(service, cookie, { path }), 401, 'ADMIN_TOKEN_INVALID');
  expect((await withToken(service, answer.json.token, { path })).status).toBe(200);
});

/** The embedded engine runs one transaction at a time. */
const onPostgres = test.skipIf(inject('engine') === 'embedded');

/** Sends a request while the token of an operator is being replaced in a transaction that has locked the operator, then commits. */
async function whileReplacing<T>(operatorId: string, request: () => Promise<T>): Promise<T> {
  let answer: Promise<T> | undefined;
  await service.database.transaction(async (tx) => {
    await tx.query({ text: 'SELECT 1 FROM operators WHERE id = $1 FOR UPDATE' }, [operatorId]);
    await tx.query({ text: 'UPDATE operators SET token_hash = sha256(id::bytea) WHERE id = $1' }, [
      operatorId,
    ]);
    await tx.query({ text: 'DELETE FROM logins WHERE operator_id = $1' }, [operatorId]);
    answer = request();
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    // On another connection: a transaction sees the first state of this view until it ends.
    await expect.poll(() => service.database.query('admin', { text: waiting })).not.toEqual([]);
    await tx.query({ text: 'DELETE FROM login_codes WHERE operator_id = $1' }, [operatorId]);
  });
  return answer!;
}

describe('while the token of an operator is replaced', () => {
  onPostgres('a sign-in by the earlier token fails', async () => {
    const { token, operatorId } = await createOperator(service);
    const answer = await whileReplacing(operatorId, () => login(service, { token }));
    expectError(answer, 401, 'LOGIN_FAILED');
    expect((await askAdmin(service, 'GET /admin/logins')).logins).toEqual([]);
  });

  onPostgres('a sign-in by an earlier link fails', async () => {
    const { operatorId } = await createOperator(service);
    const code = await codeFor(service, operatorId);
    expectError(await whileReplacing(operatorId, () => login(service, { code })), 401, 'LOGIN_FAILED');
  });

  onPostgres('the earlier token and an ended login create no sign-in link', async () => {
    const { operatorId } = await createOperator(service);
    const cookie = await signedIn(service, operatorId);
    const call = { method: 'POST', path: '/admin/login-links', body: {} };
    expectError(
      await whileReplacing(operatorId, () => asConsole(service, cookie, call)),
      401,
      'ADMIN_TOKEN_INVALID',
    );
    const other = await createOperator(service);
    expectError(
      await whileReplacing(other.operatorId, () => withToken(service, other.token, call)),
      401,
      'ADMIN_TOKEN_INVALID',
    );
  });

  /** The requests that create a credential. `subject` is another operator. */
  const creations = {
    'another operator': () => ({ path: '/admin/operators', body: { name: 'Eve', role: 'owner' } }),
    'a token for another operator': ({ subject }: Subjects) => ({
      path: `/admin/operators/${subject}/token`,
    }),
    'a sign-in link for another operator': ({ subject }: Subjects) => ({
      path: '/admin/login-links',
      body: { operatorId: subject },
    }),
    'an API key': ({ world }: Subjects) => ({
      path: `/admin/projects/${world.projectId}/keys`,
      body: { mode: 'live', scopes: ['sessions:create'] },
    }),
    'the successor of an API key': ({ keyId }: Subjects) => ({
      path: `/admin/keys/${keyId}/replace`,
      body: {},
    }),
  };
  interface Subjects {
    subject: string;
    world: World;
    keyId: string;
  }

  onPostgres('the earlier token and an ended login change and remove no operator', async () => {
    const { operatorId: subject } = await createOperator(service);
    const path = `/admin/operators/${subject}`;
    for (const call of [
      { method: 'PATCH', path, body: { role: 'owner' } },
      { method: 'PATCH', path, body: { name: 'Eve' } },
      { method: 'DELETE', path },
    ]) {
      const thief = await createOperator(service, { role: 'owner' });
      const byToken = () => withToken(service, thief.token, call);
      expectError(await whileReplacing(thief.operatorId, byToken), 401, 'ADMIN_TOKEN_INVALID');
      const other = await createOperator(service, { role: 'owner' });
      const cookie = await signedIn(service, other.operatorId);
      const byCookie = () => asConsole(service, cookie, call);
      expectError(await whileReplacing(other.operatorId, byCookie), 401, 'ADMIN_TOKEN_INVALID');
    }
    const { operators } = await askAdmin(service, 'GET /admin/operators');
    const found = operators.find(({ operatorId }) => operatorId === subject);
    expect(found).toMatchObject({ role: 'viewer', version: 1 });
  });

  onPostgres.for(Object.entries(creations))('the earlier token creates nothing: %s', async ([, creation]) => {
    const thief = await createOperator(service, { role: 'owner' });
    const { operatorId: subject } = await createOperator(service);
    const world = await createWorld(service);
    const { keys } = (await service.admin({ path: `/admin/projects/${world.projectId}/keys` })).json;
    const call = { method: 'POST', ...creation({ subject, world, keyId: keys[0].keyId }) };
    const answer = await whileReplacing(thief.operatorId, () => withToken(service, thief.token, call));
    expectError(answer, 401, 'ADMIN_TOKEN_INVALID');
  });

  onPostgres.for([
    ['of themselves', 0, 0],
    ['of each other', 0, 1],
  ] as const)('owners who replace the tokens %s do not deadlock', async ([, first, second]) => {
    const owners = [
      await createOperator(service, { role: 'owner' }),
      await createOperator(service, { role: 'owner' }),
    ];
    const replace = (by: number, of: number) =>
      withToken(service, owners[by]!.token, {
        method: 'POST',
        path: `/admin/operators/${owners[of]!.operatorId}/token`,
      });
    let answers: ReturnType<typeof replace>[] = [];
    await service.database.transaction(async (tx) => {
      await tx.query({ text: 'SELECT 1 FROM operators FOR UPDATE' });
      answers = [replace(first, second), replace(second, first)];
      const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect.poll(() => service.database.query('admin', { text })).toHaveLength(2);
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401]);
  });
});

test('a changed role takes effect at once, and a removal everywhere within five seconds', async () => {
  const other = await startService({}, service);
  try {
    const { token, operatorId } = await createOperator(service, { role: 'developer' });
    const cookie = await signedIn(service, operatorId);
    const read = (target: typeof service) => withToken(target, token, { path: '/admin/me' });
    expect((await read(other)).json.operator.role).toBe('developer');
    const changed = await service.admin({
      method: 'PATCH',
      path: `/admin/operators/${operatorId}`,
      body: { role: 'viewer' },
    });
    expect(changed.json).toMatchObject({ operatorId, role: 'viewer' });
    expect((await read(service)).json.operator.role).toBe('viewer');
    await within5s(async () => (await read(other)).json.operator.role === 'viewer');
    await service.admin({ method: 'DELETE', path: `/admin/operators/${operatorId}` });
    expectError(await read(service), 401, 'ADMIN_TOKEN_INVALID');
    expectError(await asConsole(service, cookie, { path: '/admin/me' }), 401, 'ADMIN_TOKEN_INVALID');
    await within5s(async () => (await read(other)).status === 401);
  } finally {
    await other.close();
  }
});

describe('the version of an operator', () => {
  const path = (operatorId: string) => `/admin/operators/${operatorId}`;
  const onVersion = (version: number) => ({ 'If-Match': `"${version}"` });

  test('counts changes and is the ETag; a request without a change keeps it', async () => {
    const { operatorId, version } = await createOperator(service);
    expect(version).toBe(1);
    const changed = await service.admin({
      method: 'PATCH',
      path: path(operatorId),
      body: { role: 'creator' },
    });
    expect([changed.headers.etag, changed.json.version]).toEqual(['"2"', 2]);
    const same = await service.admin({ method: 'PATCH', path: path(operatorId), body: { role: 'creator' } });
    expect([same.headers.etag, same.json.version]).toEqual(['"2"', 2]);
    const token = await service.admin({ method: 'POST', path: `${path(operatorId)}/token` });
    expect(token.headers.etag).toBe('"3"');
    const { operators } = await askAdmin(service, 'GET /admin/operators');
    expect(operators).toMatchObject([{ operatorId, version: 3 }]);
    const text = `SELECT action, version FROM audit WHERE target = $1 ORDER BY id`;
    expect(await service.database.query('admin', { text }, [operatorId])).toEqual([
      { action: 'operator.create', version: 1 },
      { action: 'operator.change', version: 2 },
      { action: 'operator.token', version: 3 },
    ]);
  });

  test('is counted also for a process of the previous version, which does not know it', async () => {
    const { operatorId } = await createOperator(service);
    const text = `UPDATE operators SET name = $2, role = $3, project_ids = $4, updated_at = $5 WHERE id = $1`;
    await service.database.query('admin', { text }, [operatorId, 'Ada', 'owner', null, new Date()]);
    const answer = await service.admin({
      method: 'DELETE',
      path: path(operatorId),
      headers: onVersion(1),
    });
    expectError(answer, 412, 'VERSION_CONFLICT');
    expect(answer.json.error.details).toMatchObject({ version: 2, by: 'bootstrap', changes: [] });
  });

  test('that is not current refuses a change, a new token and the removal, with who changed what', async () => {
    const { operatorId } = await createOperator(service);
    const body = { role: 'creator' };
    await service.admin({ method: 'PATCH', path: path(operatorId), body, headers: onVersion(1) });
    const calls = [
      { method: 'PATCH', path: path(operatorId), body: { role: 'owner' } },
      { method: 'POST', path: `${path(operatorId)}/token` },
      { method: 'DELETE', path: path(operatorId) },
    ];
    for (const call of calls) {
      const answer = await service.admin({ ...call, headers: onVersion(1) });
      expectError(answer, 412, 'VERSION_CONFLICT');
      const changes = [{ path: 'role', before: 'viewer', after: 'creator' }];
      expect(answer.json.error.details).toMatchObject({ version: 2, by: 'bootstrap', changes });
    }
    const current = { 'If-Match': 'W/"2"' };
    const { status } = await service.admin({ method: 'DELETE', path: path(operatorId), headers: current });
    expect(status).toBe(204);
  });
});

test('a change that changes nothing records nothing', async () => {
  const { operatorId, name } = await createOperator(service);
  const count = async () => {
    const text = 'SELECT count(*)::integer AS n FROM audit WHERE target = $1';
    return (await service.database.query<{ n: number }>('admin', { text }, [operatorId]))[0]?.n;
  };
  const before = await count();
  await service.admin({ method: 'PATCH', path: `/admin/operators/${operatorId}`, body: { name } });
  expect(await count()).toBe(before);
});

describe('the last owner of all projects', () => {
  test('cannot be removed, limited or demoted by operators, also if two remove each other', async () => {
    const [one, two] = [
      await createOperator(service, { role: 'owner' }),
      await createOperator(service, { role: 'owner' }),
    ];
    const answers = await Promise.all([remove(one.token, two.operatorId), remove(two.token, one.operatorId)]);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0], JSON.stringify(statuses)).toBe(204);
    expect(statuses[1]).not.toBe(204);
    const left = (await askAdmin(service, 'GET /admin/operators')).operators[0]!;
    const { token } = left.operatorId === one.operatorId ? one : two;
    const world = await createWorld(service);
    expectError(await remove(token, left.operatorId), 409, 'LAST_OWNER');
    expectError(await patch(token, left.operatorId, { role: 'viewer' }), 409, 'LAST_OWNER');
    expectError(await patch(token, left.operatorId, { projectIds: [world.projectId] }), 409, 'LAST_OWNER');
    expect((await patch(token, left.operatorId, { name: 'Renamed' })).status).toBe(200);
  });

  test('bootstrap cannot be changed or removed, and may remove the last operator', async () => {
    const path = '/admin/operators/bootstrap';
    expectError(await service.admin({ method: 'DELETE', path }), 409, 'LAST_OWNER');
    expectError(await service.admin({ method: 'PATCH', path, body: { name: 'x' } }), 409, 'LAST_OWNER');
    const { operatorId } = await createOperator(service, { role: 'owner' });
    const answer = await service.admin({ method: 'DELETE', path: `/admin/operators/${operatorId}` });
    expect(answer.status).toBe(204);
  });
});

describe('an owner who is limited to projects', () => {
  test('creates, sees and changes only operators limited to those', async () => {
    const [mine, foreign] = [await createWorld(service), await createWorld(service)];
    const limited = await createOperator(service, { role: 'owner', projectIds: [mine.projectId] });
    const stranger = await createOperator(service, { role: 'viewer', projectIds: [foreign.projectId] });
    const everywhere = await createOperator(service, { role: 'viewer' });
    const create = (wish: object) =>
      withToken(service, limited.token, {
        method: 'POST',
        path: '/admin/operators',
        body: { name: 'Eve', role: 'viewer', ...wish },
      });
    expectError(await create({}), 403, 'ROLE_FORBIDDEN');
    expectError(await create({ projectIds: [foreign.projectId] }), 400, 'INVALID_REQUEST');
    const own = await create({ projectIds: [mine.projectId] });
    expect(own.status).toBe(201);
    for (const { operatorId } of [stranger, everywhere]) {
      expectError(await patch(limited.token, operatorId, { name: 'x' }), 404, 'OPERATOR_NOT_FOUND');
      expectError(await remove(limited.token, operatorId), 404, 'OPERATOR_NOT_FOUND');
      const link = { method: 'POST', path: '/admin/login-links', body: { operatorId } };
      expectError(await withToken(service, limited.token, link), 404, 'OPERATOR_NOT_FOUND');
    }
    const widened = await patch(limited.token, own.json.operatorId, { projectIds: null });
    expectError(widened, 403, 'ROLE_FORBIDDEN');
    const listed = await withToken(service, limited.token, { path: '/admin/operators' });
    expect(listed.json.operators.map((one: { operatorId: string }) => one.operatorId)).toEqual([
      limited.operatorId,
      own.json.operatorId,
    ]);
  });
});

test('a link for somebody else needs the role owner', async () => {
  const { token, operatorId } = await createOperator(service, { role: 'developer' });
  const { operatorId: another } = await createOperator(service);
  const link = (id: string) =>
    withToken(service, token, { method: 'POST', path: '/admin/login-links', body: { operatorId: id } });
  expect((await link(operatorId)).status).toBe(201);
  expectError(await link(another), 403, 'ROLE_FORBIDDEN');
});
