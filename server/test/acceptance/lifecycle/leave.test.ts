import { deployedService } from '@session-launch/testing/deployment.ts';
import { connect, launched, leave, report } from '@session-launch/testing/lifecycle.ts';
import { createWorld, expectError, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const service = deployedService();
let world: World;
beforeAll(async () => {
  world = await createWorld(service);
});

const read = async (sessionId: string) =>
  (
    await service.call({
      path: `/v1/sessions/${sessionId}`,
      headers: { Authorization: `Bearer ${world.key}` },
    })
  ).json;
const origin = 'https://anywhere.example.net';

describe('POST /v1/sessions/{sessionId}/leave', () => {
  test('ends the session of the token, once, and notifies the runtime', async () => {
    const { sessionId, sessionToken } = await launched(service, world);
    expect((await connect(service, { sessionId, sessionToken })).status).toBe(200);
    const answer = await leave(service, sessionId, sessionToken, { Origin: origin });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    const record = await read(sessionId);
    expect(record).toMatchObject({ status: 'ended', endReason: 'client_left', usage: { seconds: 0 } });
    expect((await leave(service, sessionId, sessionToken)).status).toBe(204);
    expect(await read(sessionId)).toEqual(record);
    const told = { end: [{ sessionId, reason: 'client_left' }] };
    for (let n = 0; n < 3; n++)
      expect((await report(service, [{ sessionId, seconds: 9 }])).json).toEqual(told);
    expect(await read(sessionId)).toEqual(record);
  });

  test('ends a session without a connection', async () => {
    const { sessionId, sessionToken } = await launched(service, world);
    expect((await leave(service, sessionId, sessionToken)).status).toBe(204);
    const record = await read(sessionId);
    expect(record).toMatchObject({ status: 'ended', endReason: 'client_left' });
    expect(record).not.toHaveProperty('startedAt');
    expectError(await connect(service, { sessionId, sessionToken }), 410, 'SESSION_ENDED');
  });

  test('does not change a session that was already ended', async () => {
    const { sessionId, sessionToken } = await launched(service, world);
    await service.call({
      method: 'POST',
      path: `/v1/sessions/${sessionId}/end`,
      headers: { Authorization: `Bearer ${world.key}` },
    });
    const record = await read(sessionId);
    expect((await leave(service, sessionId, sessionToken)).status).toBe(204);
    expect(await read(sessionId)).toEqual(record);
  });

  test('has its URL in the manifest', async () => {
    const launch = (await launched(service, world)) as { sessionId: string; links?: { leave: string } };
    expect(launch.links).toEqual({ leave: `${service.url}/v1/sessions/${launch.sessionId}/leave` });
  });

  test.each([
    ['text', { 'Content-Type': 'text/plain' }],
    ['text/plain, as beacons send it', { 'Content-Type': 'text/plain;charset=UTF-8' }],
    ['bytes', { 'Content-Type': 'application/octet-stream' }],
    ['an empty media type', { 'Content-Type': '' }],
  ])('accepts the token as %s', async (_name, headers) => {
    const { sessionId, sessionToken } = await launched(service, world);
    expect((await leave(service, sessionId, `${sessionToken}\n`, headers)).status).toBe(204);
    expect((await read(sessionId)).status).toBe('ended');
  });

  test('any other body is 401, and the session continues', async () => {
    const [launch, other] = [await launched(service, world), await launched(service, world)];
    const { sessionToken } = launch;
    const bodies = ['', 'nonsense', other.sessionToken, world.key, `${sessionToken}x`, `"${sessionToken}"`];
    for (const body of [...bodies, `${sessionToken} ${sessionToken}`, 'x'.repeat(60_000)])
      expectError(await leave(service, launch.sessionId, body), 401, 'SESSION_TOKEN_INVALID');
    for (const id of [other.sessionId, 'nonsense', 'ses_', `ses_${'a'.repeat(4000)}`])
      expectError(await leave(service, id, sessionToken), 401, 'SESSION_TOKEN_INVALID');
    expectError(await leave(service, launch.sessionId, 'x'.repeat(70_000)), 413, 'PAYLOAD_TOO_LARGE');
    for (const { sessionId } of [launch, other]) expect((await read(sessionId)).status).toBe('created');
  });

  test('a page of any origin can read the response and send a preflight', async () => {
    const { sessionId, sessionToken } = await launched(service, world);
    const path = `/v1/sessions/${sessionId}/leave`;
    const asked = await service.call({ method: 'OPTIONS', path, headers: { Origin: origin } });
    expect(asked).toMatchObject({ status: 204, text: '' });
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      vary: 'Origin',
    });
    const refused = await leave(service, sessionId, 'nonsense', { Origin: origin });
    const taken = await leave(service, sessionId, sessionToken, { Origin: origin });
    for (const answer of [refused, taken]) {
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'cache-control': 'no-store, private',
        vary: 'Origin',
      });
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
    const junk = await leave(service, sessionId, sessionToken, { Origin: 'null' });
    expect(junk.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('accepts no other method', async () => {
    const answer = await service.call({ path: '/v1/sessions/ses_1/leave' });
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe('POST, OPTIONS');
  });
});
