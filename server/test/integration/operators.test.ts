import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createWorld, expectError } from '@session-launch/testing/world.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { asConsole, createOperator, signedIn, withToken } from '../harness/operators.ts';
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
    const [left] = (await service.admin({ path: '/admin/operators' })).json.operators;
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
