import type { Role } from '@session-launch/contract/roles';
import { connect, launched, report } from '@session-launch/testing/lifecycle.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createKey, createWorld, expectError, mintFromServer } from '@session-launch/testing/world.ts';
import { afterEach, describe, expect, inject, test } from 'vitest';
import type { Actor } from '../../src/audit/actor.ts';
import { EventHub } from '../../src/events/hub.ts';
import { type Change, openChanges } from '../../src/store/changes.ts';
import { type OpenStream, openEvents } from '../harness/event-stream.ts';
import { createOperator } from '../harness/operators.ts';
import { startService, useService } from '../harness/service.ts';

const service = useService();
const open: OpenStream[] = [];
afterEach(async () => {
  for (const stream of open) stream.close();
  // The service notices a closed connection a moment later.
  await expect
    .poll(async () => {
      const probe = await openEvents(service.adminUrl);
      probe.close();
      return probe.status;
    })
    .toBe(200);
  open.length = 0;
});

async function follow(adminUrl = service.adminUrl, token = adminToken): Promise<OpenStream> {
  const stream = await openEvents(adminUrl, token);
  open.push(stream);
  return stream;
}

test('reports a change with its author', async () => {
  const world = await createWorld(service);
  const stream = await follow();
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, private',
    'x-accel-buffering': 'no',
  });
  const { keyId } = await createKey(service, world.projectId);
  const data = { kind: 'key', id: keyId, projectId: world.projectId, by: 'bootstrap' };
  await expect.poll(() => stream.events()).toContainEqual({ event: 'change', data });
});

test('reports the status of a session: created, active, ended', async () => {
  const world = await createWorld(service);
  const stream = await follow();
  const launch = await launched(service, world);
  const { sessionId } = launch;
  const reported = (status: string) =>
    expect.poll(() => stream.events()).toContainEqual({ event: 'session', data: { sessionId, status } });
  await reported('created');
  await connect(service, launch);
  await reported('active');
  await report(service, [{ sessionId, seconds: 0, ended: 'client_ended' }]);
  await reported('ended');
  expect(stream.text()).not.toContain(launch.sessionToken);
});

/** The embedded engine has only one process, so these tests are not defined there. */
const onPostgres =
  inject('engine') === 'postgres' ? test : (_title: string, _work: () => Promise<void>) => undefined;

onPostgres(
  'a change on another process is reported, and so is a session that an operator ends there',
  async () => {
    const other = await startService({}, service);
    try {
      const world = await createWorld(service);
      const { json } = await mintFromServer(service, world.key, { experienceId: world.experienceId });
      const { sessionId } = json.session;
      const stream = await follow();
      const { keyId } = await createKey(other, world.projectId);
      await other.admin({ method: 'POST', path: `/admin/sessions/${sessionId}/end` });
      await expect
        .poll(() => stream.events())
        .toContainEqual({ event: 'change', data: expect.objectContaining({ id: keyId }) });
      await expect
        .poll(() => stream.events())
        .toContainEqual({ event: 'session', data: { sessionId, status: 'ended' } });
    } finally {
      await other.close();
    }
  },
);

/** Opens streams with the tokens of new operators with these roles, `each` for an operator, one after the other. */
async function fill(roles: readonly Role[], each: number): Promise<OpenStream[]> {
  const streams: OpenStream[] = [];
  for (const role of roles) {
    const { token } = await createOperator(service, { role });
    for (let n = 0; n < each; n++) streams.push(await follow(service.adminUrl, token));
  }
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
  return streams;
}

test('opens four streams for a token; the next one is 503 until one is closed', async () => {
  await fill(['viewer'], 4);
  for (let n = 0; n < 4; n++) expect((await follow()).status).toBe(200);
  const refused = await service.admin({ path: '/admin/events' });
  expectError(refused, 503, 'TOO_MANY_STREAMS');
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  open.at(-1)?.close();
  await expect.poll(async () => (await follow()).status).toBe(200);
});

test('with 24 streams open, the operator with most gives the oldest to one with fewer, without taking it back', async () => {
  const [oldest] = await fill(['viewer', 'viewer', 'viewer', 'viewer', 'viewer', 'viewer'], 4);
  const { token } = await createOperator(service);
  expect((await follow(service.adminUrl, token)).status).toBe(200);
  await oldest!.ended;
  for (let n = 0; n < 2; n++) expect((await follow(service.adminUrl, token)).status).toBe(200);
  expect((await follow(service.adminUrl, token)).status).toBe(503);
});

test('with 24 streams of as many operators open, only an owner without a stream gets one', async () => {
  const streams = await fill(['owner', ...Array(23).fill('viewer')], 1);
  const [viewer, owner] = [await createOperator(service), await createOperator(service, { role: 'owner' })];
  expect((await follow(service.adminUrl, viewer.token)).status).toBe(503);
  expect((await follow(service.adminUrl, owner.token)).status).toBe(200);
  await streams[1]!.ended;
  expect((await follow(service.adminUrl, owner.token)).status).toBe(503);
});

test('needs a token, and answers HEAD without opening a stream', async () => {
  expect((await openEvents(service.adminUrl, 'not-the-token')).status).toBe(401);
  for (let n = 0; n < 30; n++) {
    const head = await service.admin({ method: 'HEAD', path: '/admin/events' });
    expect(head.status).toBe(200);
  }
});

test('closing the service ends every stream at once', async () => {
  const other = await startService({}, service);
  const streams = await Promise.all(Array.from({ length: 4 }, () => follow(other.adminUrl)));
  const closing = other.close();
  await Promise.all(streams.map(({ ended }) => ended));
  await closing;
});

/** A response that records what is written and never sends it. */
class SlowResponse {
  writableLength = 0;
  text = '';
  isOver = false;
  #onClose: () => void = () => undefined;
  on(_event: string, listener: () => void): void {
    this.#onClose = listener;
  }
  write(text: string): void {
    this.text += text;
    this.writableLength += text.length;
  }
  end(): void {
    this.destroy();
  }
  destroy(): void {
    this.isOver = true;
    this.#onClose();
  }
}

describe('a stream', () => {
  const owner: Actor = {
    operatorId: 'opr_owner',
    name: 'Ada',
    role: 'owner',
    projectIds: null,
    via: 'console',
    login: { loginId: 'lgn_one', createdAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) },
    address: '127.0.0.1',
    requestId: 'req_one',
  };

  async function hubWith(actor: Partial<Actor>) {
    const changes = await openChanges(service.database);
    const hub = new EventHub({ database: service.database, changes });
    const response = new SlowResponse();
    hub.open({ ...owner, ...actor }, response as never);
    const announce = (change: Change) =>
      changes.commit(async (_tx, changed) => {
        changed(change);
      });
    return { hub, response, announce };
  }

  test('reports that anything may have changed if the result of a commit was lost', async () => {
    const lost = Object.assign(new Error('lost'), { code: '08006' });
    const database: typeof service.database = Object.create(service.database, {
      transaction: {
        value: async (work: Parameters<typeof service.database.transaction>[0]) => {
          await service.database.transaction(work);
          throw lost;
        },
      },
    });
    const changes = await openChanges(database);
    const announced: (Change | undefined)[] = [];
    changes.onChange((change) => announced.push(change));
    const commit = (work: Parameters<typeof changes.commit>[0]) =>
      expect(changes.commit(work)).rejects.toThrow('lost');
    await commit(async () => {
      throw lost;
    });
    expect(announced).toEqual([]);
    await commit(async (_tx, changed) => changed({ kind: 'art', id: 'one', projectId: 'prj_one' }));
    expect(announced).toEqual([undefined]);
  });

  test('is cut off when its client reads too slowly', async () => {
    const { response, announce } = await hubWith({});
    let sent = 0;
    while (!response.isOver && sent < 10_000) {
      await announce({ kind: 'art', id: 'x'.repeat(5_000), projectId: 'prj_one' });
      sent++;
    }
    expect(response.isOver).toBe(true);
    expect(response.text.length).toBeLessThan(100_000);
  });

  test('shows only the projects that its operator sees', async () => {
    const { hub, response, announce } = await hubWith({ projectIds: ['prj_own'], role: 'viewer' });
    await announce({ kind: 'project', id: 'prj_other' });
    await announce({ kind: 'operator', id: 'opr_other' });
    await announce({ kind: 'key', id: 'key_own', projectId: 'prj_own' });
    hub.onStatus('ses_other', 'active', 'prj_other');
    hub.onStatus('ses_own', 'active', 'prj_own');
    hub.onStatus('ses_unknown', 'ended');
    await expect.poll(() => response.text).toContain('ses_own');
    expect(response.text).toContain('key_own');
    expect(response.text).not.toMatch(/other|unknown/);
    hub.close();
  });

  test.each<[string, Change]>([
    ['its operator is changed', { kind: 'operator', id: 'opr_owner' }],
    ['its login ends', { kind: 'login', id: 'lgn_one' }],
  ])('ends when %s', async (_, change) => {
    const { response, announce } = await hubWith({});
    await announce({ kind: 'operator', id: 'opr_somebody' });
    expect(response.isOver).toBe(false);
    await announce(change);
    expect(response.isOver).toBe(true);
  });

  test('ends without a notification when its operator is removed', async () => {
    const { response } = await hubWith({ operatorId: 'opr_removed' });
    await expect.poll(() => response.isOver).toBe(true);
  });
});
