import { connect, launched } from '@session-launch/testing/lifecycle.ts';
import { createWorld, expectError, experience, runtime, type World } from '@session-launch/testing/world.ts';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/primitives/ids.ts';
import { unsignedProjects } from '../../src/tools/secrets.ts';
import { type Service, startService } from '../harness/service.ts';
import { startToolServer, type ToolServer } from '../harness/tool-server.ts';

let service: Service;
let tool: ToolServer;
const log: string[] = [];
beforeAll(async () => {
  tool = await startToolServer();
  const logger = pino({ level: 'trace' }, { write: (line: string) => log.push(line) });
  service = await startService({ WEBHOOK_ALLOW_PRIVATE: 'on' }, undefined, logger);
});
afterEach(() => {
  tool.calls.length = 0;
  tool.answer = (response) => response.end('{"ok":true}');
});
afterAll(async () => {
  await service.close();
  await tool.close();
});

const parameters = {
  type: 'object',
  properties: { people: { type: 'integer', minimum: 1 } },
  required: ['people'],
  additionalProperties: false,
};

/** A project with one experience that has a tool. */
function worldWith(url = tool.url): Promise<World> {
  const book = { name: 'book_table', description: 'Books a table.', parameters, url };
  return createWorld(service, { experience: experience({ runtime: runtime({ mind: { tools: [book] } }) }) });
}

/** The id of a session that a runtime has connected. */
async function connected(world: World, runtimeId = 'rt_test'): Promise<string> {
  const launch = await launched(service, world);
  expect((await connect(service, launch, runtimeId)).status).toBe(200);
  return launch.sessionId;
}

const call = (sessionId: string, more: object = {}) =>
  service.runtime({
    ...{ method: 'POST', path: `/runtime/v1/sessions/${sessionId}/tools` },
    body: { runtimeId: 'rt_test', name: 'book_table', arguments: { people: 2 }, ...more },
  });

const secretPath = (world: World) => `/admin/projects/${world.projectId}/tool-secret`;
const newSecret = async (world: World, body: object = {}) => {
  const answer = await service.admin({ method: 'POST', path: secretPath(world), body });
  expect(answer.status, answer.text).toBe(201);
  return answer.json;
};

describe('POST /runtime/v1/sessions/{sessionId}/tools', () => {
  test('sends session, user, name and arguments to the address of the tool, and returns the response', async () => {
    const world = await worldWith();
    const mint = await service.call({
      ...{ method: 'POST', path: '/v1/sessions', headers: { Authorization: `Bearer ${world.key}` } },
      body: { experienceId: world.experienceId, userId: 'user-7' },
    });
    const { sessionId } = mint.json.launch;
    await connect(service, mint.json.launch);
    tool.answer = (response) => response.writeHead(201).end('{"booked":"19:30"}');
    const answer = await call(sessionId);
    expect([answer.status, answer.json]).toEqual([200, { outcome: 'done', output: '{"booked":"19:30"}' }]);
    expect(tool.calls[0]!.body).toEqual({
      ...{ sessionId, userId: 'user-7', name: 'book_table', arguments: { people: 2 } },
    });
    const { headers } = tool.calls[0]!;
    expect(headers['content-type']).toBe('application/json');
    expect(headers['webhook-id']).toMatch(/^tcl_/);
    expect(headers['webhook-signature']).toBeUndefined();
  });

  test('arguments that break the schema are not sent; the result names the violation', async () => {
    const sessionId = await connected(await worldWith());
    for (const [values, message] of [
      [{}, 'people is required'],
      [{ people: 'two' }, 'people must be an integer'],
      [{ people: 0 }, 'people must be >= 1'],
      [{ people: 2, when: 'now' }, 'when is not a known field'],
      [{ people: 2, name: 'x'.repeat(9000) }, 'at most 8192'],
    ] as const) {
      const { json } = await call(sessionId, { arguments: values });
      expect(json.outcome).toBe('invalid');
      expect(json.output).toContain(message);
    }
    expect(tool.calls).toEqual([]);
  });

  test('sessions of other runtimes, if the runtime sends its id, ended and unknown sessions, and unknown tools are refused', async () => {
    const world = await worldWith();
    const sessionId = await connected(world);
    expectError(await call(sessionId, { runtimeId: 'rt_other' }), 404, 'SESSION_NOT_FOUND');
    expect((await call(sessionId, { runtimeId: undefined })).json.outcome).toBe('done');
    tool.calls.length = 0;
    expectError(await call(newId('ses')), 404, 'SESSION_NOT_FOUND');
    expectError(await call('ses_'), 404, 'SESSION_NOT_FOUND');
    expectError(await call((await launched(service, world)).sessionId), 404, 'SESSION_NOT_FOUND');
    expectError(await call(sessionId, { name: 'cancel_table' }), 404, 'TOOL_NOT_FOUND');
    expectError(await call(sessionId, { arguments: [] }), 400, 'INVALID_REQUEST');
    await service.runtime({
      ...{ method: 'POST', path: '/runtime/v1/reports' },
      body: { runtimeId: 'rt_test', sessions: [{ sessionId, seconds: 1, ended: 'client_left' }] },
    });
    expectError(await call(sessionId), 404, 'SESSION_NOT_FOUND');
    expect(tool.calls).toEqual([]);
  });

  test('a failing tool is a result: its status and text, a broken connection, more than 16 KiB', async () => {
    const sessionId = await connected(await worldWith());
    tool.answer = (response) => response.writeHead(409).end('fully booked');
    expect((await call(sessionId)).json).toEqual({
      ...{ outcome: 'status', output: 'The tool has answered with status 409: fully booked' },
    });
    tool.answer = (response) => response.writeHead(302, { Location: tool.url }).end();
    expect((await call(sessionId)).json.outcome).toBe('status');
    tool.answer = (response) => response.destroy();
    expect((await call(sessionId)).json.outcome).toBe('network');
    tool.answer = (response) => response.end('x'.repeat(16 * 1024));
    expect((await call(sessionId)).json.output).toHaveLength(16 * 1024);
    tool.answer = (response) => response.end('x'.repeat(16 * 1024 + 1));
    expect((await call(sessionId)).json.outcome).toBe('too_big');
    expect(tool.calls).toHaveLength(5);
  });

  test('a tool that hangs fails after ten seconds and does not delay another session', async () => {
    const world = await worldWith();
    const [slow, other] = [await connected(world), await connected(world)];
    tool.answer = (response, { body }) => {
      if (body.sessionId !== slow) response.end('{"ok":true}');
    };
    const startedAt = performance.now();
    const hanging = Promise.all(Array.from({ length: 5 }, () => call(slow)));
    expect((await call(other)).json.outcome).toBe('done');
    expect(performance.now() - startedAt).toBeLessThan(9000);
    const results = await hanging;
    const ms = performance.now() - startedAt;
    expect(results.map(({ json }) => json.outcome)).toEqual(Array(5).fill('timeout'));
    expect(ms).toBeGreaterThan(9900);
  });

  test('neither arguments nor responses are logged', async () => {
    const sessionId = await connected(await worldWith());
    await newSecret(await worldWith());
    tool.answer = (response) => response.writeHead(500).end('the kitchen of Zaphod burns');
    await call(sessionId, { arguments: { people: 424_242 } });
    await call(sessionId, { arguments: { people: 'Beeblebrox' } });
    const text = log.join('');
    expect(text).toContain('a call of a tool failed');
    expect(text).not.toMatch(/Zaphod|424242|Beeblebrox|whsec_/);
  });

  test('calls are metrics by outcome', async () => {
    const sessionId = await connected(await worldWith());
    await call(sessionId);
    const { text } = await service.admin({ path: '/metrics' });
    expect(text).toMatch(/session_launch_tool_calls_total\{outcome="done"\} [1-9]/);
    expect(text).toMatch(/session_launch_tool_call_duration_seconds_count [1-9]/);
    expect(text).not.toContain('book_table');
  });
});

describe('addresses', () => {
  test('without WEBHOOK_ALLOW_PRIVATE, tools at loopback, private and metadata addresses are not called', async () => {
    const strict = await startService({ WEBHOOK_ALLOW_PRIVATE: 'off' }, service);
    const world = await worldWith();
    const attempts = [
      tool.url,
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://10.0.0.1/',
      'https://169.254.169.254/latest/meta-data/',
      'https://[::ffff:7f00:1]/',
      'https://2130706433/',
      'https://localhost/',
      'https://100.100.100.200/',
    ];
    for (const url of attempts) {
      const answer = await strict.admin({
        ...{ method: 'POST', path: `/admin/projects/${world.projectId}/tool-calls` },
        body: { name: 'book_table', url, arguments: {} },
      });
      const refused = answer.status === 400 || answer.json.outcome === 'forbidden';
      expect(refused, `${url}: ${answer.text}`).toBe(true);
      expect(answer.json.request).toBeUndefined();
    }
    const sessionId = await connected(world);
    const answer = await strict.runtime({
      ...{ method: 'POST', path: `/runtime/v1/sessions/${sessionId}/tools` },
      body: { runtimeId: 'rt_test', name: 'book_table', arguments: { people: 2 } },
    });
    expect(answer.json.outcome).toBe('forbidden');
    expect(tool.calls).toEqual([]);
    await strict.close();
  });
});

describe('the tool secret', () => {
  test('signs calls from its creation on, so that standardwebhooks verifies them', async () => {
    const world = await worldWith();
    const sessionId = await connected(world);
    const { secret } = await newSecret(world);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await call(sessionId);
    const [received] = tool.calls;
    expect(tool.verifies(secret, received!)).toBe(true);
    expect(tool.verifies((await newSecret(await worldWith())).secret, received!)).toBe(false);
    expect(tool.verifies(secret, { ...received!, text: received!.text.replace('2', '3') })).toBe(false);
  });

  test('a rotation signs with both secrets until the end of the grace period', async () => {
    const world = await worldWith();
    const sessionId = await connected(world);
    const first = await newSecret(world);
    expect(first.oldExpiresAt).toBeUndefined();
    const second = await newSecret(world, { graceSeconds: 3600 });
    const left = Date.parse(second.oldExpiresAt) - Date.now();
    expect(Math.abs(left - 3_600_000)).toBeLessThan(60_000);
    await call(sessionId);
    expect([first, second].map(({ secret }) => tool.verifies(secret, tool.calls[0]!))).toEqual([true, true]);
    const third = await newSecret(world, { graceSeconds: 0 });
    expect(third.oldExpiresAt).toBeUndefined();
    await call(sessionId);
    expect([first, second, third].map(({ secret }) => tool.verifies(secret, tool.calls[1]!))).toEqual([
      ...[false, false, true],
    ]);
  });

  test('is never shown again; the state says since when calls are signed', async () => {
    const world = await worldWith();
    const read = async () => (await service.admin({ path: secretPath(world) })).json;
    expect(await read()).toEqual({ isSigned: false });
    const { secret, createdAt } = await newSecret(world);
    expect(await read()).toEqual({ isSigned: true, createdAt });
    const { oldExpiresAt } = await newSecret(world, { graceSeconds: 60 });
    expect(await read()).toMatchObject({ isSigned: true, oldExpiresAt });
    const audit = await service.admin({ path: `/admin/audit?projectId=${world.projectId}` });
    expect(audit.text).toContain('tool-secret.create');
    expect(audit.text).not.toContain(secret);
    const rows = await service.database.query('admin', { name: 'x', text: 'SELECT * FROM tool_secrets' }, []);
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6));
  });

  test.each([{ graceSeconds: -1 }, { graceSeconds: 604_801 }, { graceSeconds: 'a day' }, { secret: 'x' }])(
    'rejects %j',
    async (body) => {
      const answer = await service.admin({ method: 'POST', path: secretPath(await worldWith()), body });
      expectError(answer, 400, 'INVALID_REQUEST');
    },
  );

  test('projects with tools and without a secret are found, and the doctor warns', async () => {
    const [signed, unsigned] = [await worldWith(), await worldWith()];
    await newSecret(signed);
    const ids = (await unsignedProjects(service.database)).map(({ projectId }) => projectId);
    expect(ids).toContain(unsigned.projectId);
    expect(ids).not.toContain(signed.projectId);
    const { json } = await service.admin({ path: '/admin/doctor' });
    const finding = json.findings.find(({ check }: { check: string }) => check === 'tools');
    expect(finding.status).toBe('warn');
    expect(finding.todo).toContain('session-launch tools secret prj_');
  });
});

describe('trying a tool', () => {
  const trial = (world: World, body: object) =>
    service.admin({
      ...{ method: 'POST', path: `/admin/projects/${world.projectId}/tool-calls` },
      body: { name: 'book_table', url: tool.url, parameters, arguments: { people: 2 }, ...body },
    });

  test('sends a signed call and shows request and response', async () => {
    const world = await worldWith();
    const { secret } = await newSecret(world);
    tool.answer = (response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('booked');
    const { json } = await trial(world, {});
    expect(json).toMatchObject({
      ...{ outcome: 'done', output: 'booked', milliseconds: expect.any(Number) },
      response: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'booked' },
    });
    expect(JSON.parse(json.request.body)).toEqual({
      ...{ sessionId: expect.stringMatching(/^ses_/), name: 'book_table', arguments: { people: 2 } },
    });
    expect(json.request.body).toBe(tool.calls[0]!.text);
    expect(tool.verifies(secret, tool.calls[0]!)).toBe(true);
  });

  test('sends nothing if the arguments do not match, and rejects wrong schemas and addresses', async () => {
    const world = await worldWith();
    expect((await trial(world, { arguments: {} })).json).toMatchObject({ outcome: 'invalid' });
    expectError(await trial(world, { parameters: { type: 'array' } }), 400, 'INVALID_REQUEST');
    expectError(await trial(world, { url: 'http://example.com/' }), 400, 'INVALID_REQUEST');
    expectError(await trial(world, { url: 'ftp://example.com/' }), 400, 'INVALID_REQUEST');
    expect(tool.calls).toEqual([]);
  });
});
