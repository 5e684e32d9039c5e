import { connect, launched, report } from '@session-launch/testing/lifecycle.ts';
import { createKey, createWorld, mintFromServer } from '@session-launch/testing/world.ts';
import { afterEach, describe, expect, inject, test } from 'vitest';
import type { Actor } from '../../src/access/actor.ts';
import { EventHub } from '../../src/events/hub.ts';
import { type Change, openChanges } from '../../src/store/changes.ts';
import { type OpenStream, openEvents } from '../harness/event-stream.ts';
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

async function follow(adminUrl = service.adminUrl): Promise<OpenStream> {
  const stream = await openEvents(adminUrl);
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

test('opens 24 streams; the next one is 503 until one is closed', async () => {
  for (let n = 0; n < 24; n++) expect((await follow()).status).toBe(200);
  const refused = await service.admin({ path: '/admin/events' });
  expect(refused.status).toBe(503);
  expect(refused.json.error.code).toBe('UNAVAILABLE');
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  open[0]?.close();
  await expect.poll(async () => (await follow()).status).toBe(200);
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
  const streams = await Promise.all(Array.from({ length: 24 }, () => follow(other.adminUrl)));
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
