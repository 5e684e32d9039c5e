import { deployedService } from '@session-launch/testing/deployment.ts';
import { createWorld, expectError, type World } from '@session-launch/testing/world.ts';
import { beforeEach, expect, test } from 'vitest';

const service = deployedService();
const settings = { url: 'https://hooks.example/in?a=1', events: ['session.ended'], name: 'billing' };

let world: World;
let path: string;
beforeEach(async () => {
  world = await createWorld(service);
  path = `/admin/projects/${world.projectId}/webhooks`;
});

const create = (body: object = settings) => service.admin({ method: 'POST', path, body });
const patch = (webhookId: string, body: object) =>
  service.admin({ method: 'PATCH', path: `${path}/${webhookId}`, body });

test('a webhook is created with a secret that no later answer contains', async () => {
  const created = await create();
  expect(created.status, created.text).toBe(201);
  const { secret, ...record } = created.json;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(record).toEqual({
    webhookId: expect.stringMatching(/^whk_/),
    projectId: world.projectId,
    ...settings,
    enabled: true,
    createdAt: expect.stringMatching(/Z$/),
  });
  const one = `${path}/${record.webhookId}`;
  expect((await service.admin({ path: one })).json).toEqual(record);
  expect((await service.admin({ path })).json).toEqual({ webhooks: [record] });
  const renamed = await patch(record.webhookId, { name: 'invoices' });
  expect(renamed.json).toEqual({ ...record, name: 'invoices' });
  const activity = await service.admin({ path: `/admin/audit?projectId=${world.projectId}` });
  expect(activity.text).toContain('webhook.create');
  for (const { text } of [renamed, activity]) expect(text).not.toContain(secret.slice(6));
});

test('a webhook can be changed, disabled, enabled and deleted', async () => {
  const { webhookId } = (await create()).json;
  const changed = await patch(webhookId, { url: 'https://other.example/', events: ['session.created'] });
  expect(changed.json).toMatchObject({ url: 'https://other.example/', events: ['session.created'] });
  expect((await patch(webhookId, { enabled: false })).json).toMatchObject({
    enabled: false,
    disabledReason: 'operator',
    disabledAt: expect.any(String),
  });
  const enabled = (await patch(webhookId, { enabled: true })).json;
  expect(enabled.enabled).toBe(true);
  expect(enabled).not.toHaveProperty('disabledReason');
  const one = { path: `${path}/${webhookId}` };
  expect((await service.admin({ ...one, method: 'DELETE' })).status).toBe(204);
  for (const method of ['GET', 'DELETE'])
    expectError(await service.admin({ ...one, method }), 404, 'WEBHOOK_NOT_FOUND');
});

test.each([
  ['http://hooks.example/', 'must begin with https://'],
  ['https://user:pw@hooks.example/', 'must not contain a user name or password'],
  ['https://hooks.example/#a', 'must not contain a fragment'],
  ['https://169.254.169.254/latest', 'must not name a loopback, private or otherwise reserved address'],
  ['https://[::ffff:10.0.0.1]/', 'must not name a loopback, private or otherwise reserved address'],
  ['hooks.example', 'must be an absolute URL'],
])('refuses the URL %s', async (url, message) => {
  const answer = await create({ ...settings, url });
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(answer.json.error.details).toEqual([{ path: 'url', message }]);
  const { webhookId } = (await create()).json;
  expectError(await patch(webhookId, { url }), 400, 'INVALID_REQUEST');
  expect((await service.admin({ path: `${path}/${webhookId}` })).json.url).toBe(settings.url);
});

test.each([
  [{ ...settings, events: [] }, 'events'],
  [{ ...settings, events: ['session.paused'] }, 'events[0]'],
  [{ ...settings, events: ['session.ended', 'session.ended'] }, 'events'],
  [{ ...settings, secret: 'mine' }, 'secret'],
  [{ events: settings.events }, 'url'],
])('refuses %j and names the field', async (body, field) => {
  const answer = await create(body);
  expectError(answer, 400, 'INVALID_REQUEST');
  expect(answer.json.error.details[0].path).toBe(field);
});

test('a new secret states until when the former one signs', async () => {
  const { webhookId, secret } = (await create()).json;
  const replace = (body?: object) =>
    service.admin({ method: 'POST', path: `${path}/${webhookId}/secret`, ...(body && { body }) });
  const replaced = await replace();
  expect(replaced.status, replaced.text).toBe(201);
  expect(replaced.json.secret).not.toBe(secret);
  const expiresIn = Date.parse(replaced.json.formerSecretExpiresAt) - Date.now();
  expect(Math.abs(expiresIn - 86_400_000)).toBeLessThan(600_000);
  const listed = (await service.admin({ path })).json.webhooks[0];
  expect(listed.formerSecretExpiresAt).toBe(replaced.json.formerSecretExpiresAt);
  expect((await replace({ graceSeconds: 0 })).json).not.toHaveProperty('formerSecretExpiresAt');
  expectError(await replace({ graceSeconds: 604_801 }), 400, 'INVALID_REQUEST');
});

test('a project has at most 20 webhooks, also if they are created at the same time', async () => {
  const answers = await Promise.all(Array.from({ length: 23 }, () => create()));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  const refused = answers.filter(({ status }) => status !== 201);
  for (const answer of refused) expectError(answer, 400, 'INVALID_REQUEST');
});

test('a webhook of another project is unknown', async () => {
  const { webhookId } = (await create()).json;
  const other = await createWorld(service);
  const elsewhere = `/admin/projects/${other.projectId}/webhooks/${webhookId}`;
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '/deliveries'],
    ['POST', '/test'],
    ['POST', '/secret'],
    ['DELETE', ''],
  ] as const)
    expectError(await service.admin({ method, path: elsewhere + rest }), 404, 'WEBHOOK_NOT_FOUND');
});

test('replays name an event of the project, or a period', async () => {
  const { webhookId } = (await create()).json;
  const unknown = `${path}/${webhookId}/deliveries/evt_01kb2xe31tf7mvmr8g3c6ypw9q/replay`;
  expectError(await service.admin({ method: 'POST', path: unknown }), 404, 'EVENT_NOT_FOUND');
  const replay = (body: object) =>
    service.admin({ method: 'POST', path: `${path}/${webhookId}/replay`, body });
  const period = await replay({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' });
  expect([period.status, period.json]).toEqual([202, { events: 0 }]);
  expectError(
    await replay({ from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }),
    400,
    'INVALID_REQUEST',
  );
});
