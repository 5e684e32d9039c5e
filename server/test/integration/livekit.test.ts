import { createHash } from 'node:crypto';
import type { Answer } from '@session-launch/testing/http.ts';
import { connect } from '@session-launch/testing/lifecycle.ts';
import {
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  runtime,
  sessionsOf,
  type World,
} from '@session-launch/testing/world.ts';
import { SignJWT } from 'jose';
import { AccessToken, TokenVerifier, WebhookReceiver } from 'livekit-server-sdk';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDirectory } from '../../src/content/directory.ts';
import { Pace } from '../../src/limits/pace.ts';
import { LivekitSessions } from '../../src/livekit/livekit-sessions.ts';
import { RoomService, RoomServiceError } from '../../src/livekit/room-service.ts';
import type { ChangeDeps } from '../../src/sessions/lifecycle.ts';
import { SessionChanges } from '../../src/sessions/session-changes.ts';
import { openChanges } from '../../src/store/changes.ts';
import type { Database } from '../../src/store/database.ts';
import {
  type LivekitRooms,
  livekitEnvironment,
  livekitKeys,
  livekitWebhook,
  sendWebhook,
  startLivekitRooms,
} from '../harness/livekit-rooms.ts';
import { startService, useService } from '../harness/service.ts';
import { useSessionLives } from '../harness/session-lives.ts';

const service = useService(livekitEnvironment);
const lives = useSessionLives(service);
let livekit: LivekitRooms;
let world: World;

beforeAll(async () => {
  livekit = await startLivekitRooms();
  world = await createLivekitWorld();
});
afterEach(() => {
  livekit.failsWith = undefined;
  livekit.calls.length = 0;
});
afterAll(() => livekit?.close());

function createLivekitWorld(overrides: { project?: object; runtime?: object } = {}): Promise<World> {
  const transport = { type: 'livekit', url: livekit.url, agentName: 'guide', video: true };
  return createWorld(service, {
    project: overrides.project ?? {},
    experiences: [
      experience({
        public: true,
        allowedOrigins: [pageOrigin],
        runtime: runtime({ transport, ...overrides.runtime }),
      }),
    ],
  });
}

async function minted(from = world): Promise<string> {
  const answer = await mintFromServer(service, from.key, { experienceId: from.experienceId });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.launch.sessionId;
}

/** Mints a session whose client joins its room, and sends the webhook. */
async function joined(from = world): Promise<string> {
  const sessionId = await minted(from);
  livekit.join(sessionId);
  expect((await say('participant_joined', sessionId)).status).toBe(204);
  return sessionId;
}

const say = async (event: string, room: string, identity?: string): Promise<Answer> =>
  sendWebhook(service, await livekitWebhook(event, room, identity === undefined ? {} : { identity }));

async function read(sessionId: string, from = world) {
  const headers = { Authorization: `Bearer ${from.key}` };
  return (await service.call({ path: `/v1/sessions/${sessionId}`, headers })).json;
}

const isRemoved = (sessionId: string) =>
  vi.waitFor(() => expect(livekit.rooms.get(sessionId)?.has(`user_${sessionId}`)).toBe(false), 10_000);

describe('manifests', () => {
  test('have the room and a token that LiveKit accepts, and no name of the agent', async () => {
    const body = { experienceId: world.experienceId };
    const answers = [
      (await mintFromServer(service, world.key, body)).json.launch,
      (await mintFromBrowser(service, body)).json.launch,
      (await mintFromPublic(service, body)).json,
    ];
    for (const { sessionId, expiresAt, transport } of answers) {
      expect(transport).toEqual({
        type: 'livekit',
        url: livekit.url,
        video: true,
        token: expect.any(String),
        roomName: sessionId,
      });
      const verifier = new TokenVerifier(livekitKeys.apiKey, livekitKeys.apiSecret);
      const claims = await verifier.verify(transport.token);
      expect(claims).toEqual({
        iss: livekitKeys.apiKey,
        sub: `user_${sessionId}`,
        nbf: expect.any(Number),
        exp: Date.parse(expiresAt) / 1000,
        video: { room: sessionId, roomJoin: true },
        roomConfig: { agents: [{ agentName: 'guide', metadata: JSON.stringify({ sessionId }) }] },
      });
      expect(claims.exp! - claims.nbf!).toBe(600);
    }
  });

  test('of a replay have the same bytes, also from another process and at another time', async () => {
    const other = await startService(livekitEnvironment, service);
    try {
      const mint = (of: typeof service) =>
        mintFromServer(of, world.key, { experienceId: world.experienceId }, { 'Idempotency-Key': 'again' });
      const first = await mint(service);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      for (const of of [service, other]) {
        const replay = await mint(of);
        expect(replay.headers['idempotent-replayed']).toBe('true');
        expect(replay.json.launch.transport).toEqual(first.json.launch.transport);
        if (of === service) expect(replay.text).toBe(first.text);
      }
    } finally {
      await other.close();
    }
  });

  test('for a runtime have no token', async () => {
    const launch = (await mintFromServer(service, world.key, { experienceId: world.experienceId })).json
      .launch;
    const answer = await connect(service, launch);
    expect(answer.json.manifest.transport).toEqual({ type: 'livekit', url: livekit.url, video: true });
  });
});

test('without the variables, mints and availability say so, nothing is stored, and webhooks are refused', async () => {
  const other = await startService({}, service);
  try {
    const body = { experienceId: world.experienceId };
    const before = (await sessionsOf(service, world.projectId)).length;
    for (const answer of [
      await mintFromServer(other, world.key, body),
      await mintFromServer(other, world.key, body, { 'Idempotency-Key': 'without' }),
      await mintFromBrowser(other, body),
      await mintFromPublic(other, body),
    ]) {
      expectError(answer, 501, 'TRANSPORT_NOT_CONFIGURED');
      expect(answer.json.error.message).toContain('LIVEKIT_API_KEY');
    }
    expect(await sessionsOf(service, world.projectId)).toHaveLength(before);
    const available = await other.call({
      path: `/v1/experiences/${world.experienceId}/availability`,
      headers: { Origin: pageOrigin },
    });
    expect(available.json).toMatchObject({ available: false, code: 'TRANSPORT_NOT_CONFIGURED' });
    const webhook = await livekitWebhook('participant_joined', 'ses_1');
    expectError(await sendWebhook(other, webhook), 401, 'LIVEKIT_SIGNATURE_INVALID');
    // The key was not used up.
    const later = await mintFromServer(service, world.key, body, { 'Idempotency-Key': 'without' });
    expect(later.status).toBe(201);
  } finally {
    await other.close();
  }
});

test('the doctor of the service checks the servers of experiences', async () => {
  const { findings } = (await service.admin({ path: '/admin/doctor' })).json;
  expect(findings).toContainEqual({
    check: 'livekit',
    status: 'ok',
    message: `${livekit.url} accepts the key`,
  });
});

describe('webhooks', () => {
  test('of the stand-in are those of LiveKit, and begin, meter and end a session', async () => {
    const sessionId = await minted();
    const webhook = await livekitWebhook('participant_joined', sessionId);
    const receiver = new WebhookReceiver(livekitKeys.apiKey, livekitKeys.apiSecret);
    expect(await receiver.receive(webhook.body, webhook.authorization)).toMatchObject({
      event: 'participant_joined',
      participant: { identity: `user_${sessionId}` },
    });
    livekit.join(sessionId);
    expect((await sendWebhook(service, webhook)).status).toBe(204);
    expect(await read(sessionId)).toMatchObject({ status: 'active', usage: { seconds: 0 } });
    await lives.pass(sessionId, 4);
    // Reported by the service itself, every five seconds.
    await expect.poll(async () => (await read(sessionId)).usage.seconds).toBeGreaterThanOrEqual(4);
    livekit.leave(sessionId);
    expect((await say('participant_left', sessionId)).status).toBe(204);
    const record = await read(sessionId);
    expect(record).toMatchObject({ status: 'ended', endReason: 'client_left' });
    expect(record.usage.seconds).toBeGreaterThanOrEqual(4);
  });

  test('that are not signed by LiveKit, or not for this body, change nothing', async () => {
    const sessionId = await minted();
    livekit.join(sessionId);
    const good = await livekitWebhook('participant_joined', sessionId);
    const wrongSecret = { ...livekitKeys, apiSecret: 'another-secret-of-forty-characters-00000' };
    const sha256 = createHash('sha256').update(good.body).digest('base64');
    const unsigned = [{ alg: 'none' }, { iss: livekitKeys.apiKey, sha256, exp: 4e9 }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const secret = new TextEncoder().encode(livekitKeys.apiSecret);
    const endless = await new SignJWT({ iss: livekitKeys.apiKey, sha256 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret);
    const withoutHash = await new AccessToken(livekitKeys.apiKey, livekitKeys.apiSecret).toJwt();
    const refused: { body: string; authorization?: string }[] = [
      await livekitWebhook('participant_joined', sessionId, { keys: wrongSecret }),
      await livekitWebhook('participant_joined', sessionId, {
        keys: { ...livekitKeys, apiKey: 'API_other' },
      }),
      await livekitWebhook('participant_joined', sessionId, { signs: 'another body' }),
      { ...good, body: `${good.body} ` },
      { ...good, body: '' },
      { ...good, authorization: `${unsigned}.` },
      { ...good, authorization: endless },
      { ...good, authorization: withoutHash },
      { ...good, authorization: 'nonsense' },
      { body: good.body },
    ];
    for (const one of refused) expectError(await sendWebhook(service, one), 401, 'LIVEKIT_SIGNATURE_INVALID');
    expect(await read(sessionId)).toMatchObject({ status: 'created' });
    expect((await sendWebhook(service, good)).status).toBe(204);
    expect(await read(sessionId)).toMatchObject({ status: 'active' });
  });

  test('that are old change nothing', async () => {
    const sessionId = await minted();
    livekit.join(sessionId);
    const { body } = await livekitWebhook('participant_joined', sessionId);
    const at = Math.floor(Date.now() / 1000);
    const sha256 = createHash('sha256').update(body).digest('base64');
    const authorization = await new SignJWT({ iss: livekitKeys.apiKey, nbf: at - 320, exp: at - 20, sha256 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(livekitKeys.apiSecret));
    expectError(await sendWebhook(service, { body, authorization }), 401, 'LIVEKIT_SIGNATURE_INVALID');
    expect(await read(sessionId)).toMatchObject({ status: 'created' });
  });

  test('that are repeated or out of order change nothing', async () => {
    const sessionId = await minted();
    livekit.join(sessionId);
    // The end of a connection that has not begun, and one of an earlier connection.
    expect((await say('participant_left', sessionId)).status).toBe(204);
    expect(await read(sessionId)).toMatchObject({ status: 'created' });
    const join = await livekitWebhook('participant_joined', sessionId);
    await sendWebhook(service, join);
    const begun = await read(sessionId);
    for (const event of ['participant_left', 'participant_connection_aborted', 'room_finished'])
      expect((await say(event, sessionId)).status).toBe(204);
    await sendWebhook(service, join);
    expect(await read(sessionId)).toEqual(begun);
    expect(livekit.rooms.get(sessionId)).toContain(`user_${sessionId}`);
    livekit.leave(sessionId);
    const left = await livekitWebhook('participant_left', sessionId);
    await sendWebhook(service, left);
    const ended = await read(sessionId);
    expect(ended).toMatchObject({ status: 'ended', endReason: 'client_left' });
    for (const one of [left, join, await livekitWebhook('room_finished', sessionId)])
      expect((await sendWebhook(service, one)).status).toBe(204);
    expect(await read(sessionId)).toEqual(ended);
  });

  test('about agents, other events, other rooms and other transports change nothing', async () => {
    const sessionId = await joined();
    const begun = await read(sessionId);
    livekit.leave(sessionId);
    await say('participant_left', sessionId, 'agent-1');
    await say('track_unpublished', sessionId);
    await say('egress_ended', sessionId);
    await say('participant_left', 'ses_00000000000000000000000000');
    await say('participant_left', 'a room');
    expect(await read(sessionId)).toEqual(begun);
    const others = lives.world;
    const elsewhere = await minted(others);
    await say('participant_joined', elsewhere);
    expect(await read(elsewhere, others)).toMatchObject({ status: 'created' });
    expectError(await sendWebhook(service, await signedText('not JSON')), 400, 'INVALID_JSON');
    for (const text of ['null', '[]', '{"event":5}', '{"event":"participant_joined","room":7}'])
      expect((await sendWebhook(service, await signedText(text))).status).toBe(204);
  });

  test('are answered with 503 while LiveKit cannot confirm that a client has left', async () => {
    const sessionId = await joined();
    livekit.leave(sessionId);
    livekit.failsWith = 500;
    expectError(await say('participant_left', sessionId), 503, 'UNAVAILABLE');
    livekit.failsWith = undefined;
    expect((await say('participant_left', sessionId)).status).toBe(204);
    expect(await read(sessionId)).toMatchObject({ status: 'ended', endReason: 'client_left' });
  });
});

async function signedText(body: string) {
  const token = new AccessToken(livekitKeys.apiKey, livekitKeys.apiSecret);
  token.sha256 = createHash('sha256').update(body).digest('base64');
  return { body, authorization: await token.toJwt() };
}

describe('clients are removed from their room', () => {
  test('when the session is ended by API, by an operator or by leaving', async () => {
    const ways: ((sessionId: string) => Promise<Answer>)[] = [
      (id) =>
        service.call({
          method: 'POST',
          path: `/v1/sessions/${id}/end`,
          headers: { Authorization: `Bearer ${world.key}` },
        }),
      (id) => service.admin({ method: 'POST', path: `/admin/sessions/${id}/end` }),
    ];
    for (const end of ways) {
      const sessionId = await joined();
      expect((await end(sessionId)).status).toBeLessThan(300);
      await isRemoved(sessionId);
      expect(livekit.rooms.get(sessionId)).toEqual(new Set(['agent-1']));
      await say('participant_left', sessionId);
      expect(await read(sessionId)).toMatchObject({ status: 'ended', endReason: 'api_request' });
    }
  });

  test('when the session has ended before they join', async () => {
    const sessionId = await minted();
    const headers = { Authorization: `Bearer ${world.key}` };
    await service.call({ method: 'POST', path: `/v1/sessions/${sessionId}/end`, headers });
    livekit.join(sessionId);
    expect((await say('participant_joined', sessionId)).status).toBe(204);
    await isRemoved(sessionId);
    expect(await read(sessionId)).toMatchObject({ status: 'ended', usage: { seconds: 0 } });
  });

  test('when the project has reached its limit of concurrent sessions', async () => {
    const small = await createLivekitWorld({ project: { limits: { concurrentSessions: 1 } } });
    const first = await joined(small);
    const second = await joined(small);
    await isRemoved(second);
    expect(await read(second, small)).toMatchObject({ status: 'created' });
    expect(await read(first, small)).toMatchObject({ status: 'active' });
    expect(livekit.rooms.get(first)).toContain(`user_${first}`);
  });
});

describe('rounds of reports', () => {
  const { look: lookAround } = LivekitSessions.prototype;
  // The service under test would report the same sessions.
  beforeAll(() => {
    vi.spyOn(LivekitSessions.prototype, 'look').mockResolvedValue();
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });

  /** The sessions of a separate process, whose monotonic clock the test sets. */
  async function watching() {
    let now = 1_000_000;
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
    const changes = await openChanges(service.database);
    const asked: string[] = [];
    const reported: string[] = [];
    const removals: string[] = [];
    /** Addresses that accept requests and never respond. */
    const hanging = new Set<string>();
    /** Sessions about which requests fail. */
    const failing = new Set<string>();
    const roomService = new RoomService(livekitKeys);
    const rooms = {
      hasClient: async (url: string, id: string) => {
        asked.push(id);
        if (hanging.has(url)) return new Promise<boolean>(() => {});
        if (failing.has(id)) throw new RoomServiceError('LiveKit responded with 500');
        return roomService.hasClient(url, id);
      },
      removeClient: (url: string, id: string) => {
        removals.push(id);
        if (hanging.has(url)) return new Promise<void>(() => {});
        return roomService.removeClient(url, id);
      },
    };
    const database = Object.create(service.database, {
      query: {
        value: (...call: Parameters<Database['query']>) => {
          if (call[1].name === 'report_sessions') reported.push(String(call[2]?.[1]));
          return service.database.query(...call);
        },
      },
    }) as Database;
    const lifecycle: ChangeDeps = {
      ...lives.lifecycle,
      database,
      log,
      changes: new SessionChanges(service.database),
      onStatus: (id, status) => sessions.onStatus(id, status),
    };
    const directory = openDirectory(service.database, changes, new Pace());
    const sessions = new LivekitSessions({ lifecycle, directory, rooms, clock: () => now });
    sessions.look = lookAround;
    const wait = (ms: number) => {
      now += ms;
    };
    const look = async () => {
      await sessions.look();
      await sessions.settled();
    };
    return { sessions, look, hanging, failing, lines, asked, reported, removals, wait };
  }

  test('meter sessions that go on, and end those whose client has left without a webhook', async () => {
    const { look, wait } = await watching();
    const [here, gone] = [await joined(), await joined()];
    await look();
    for (const id of [here, gone]) await lives.pass(id, 20);
    await look();
    expect((await read(here)).usage.seconds).toBeGreaterThanOrEqual(20);
    livekit.leave(gone);
    for (const id of [here, gone]) await lives.pass(id, 20);
    wait(31_000);
    await look();
    expect(await read(here)).toMatchObject({ status: 'active' });
    expect((await read(here)).usage.seconds).toBeGreaterThanOrEqual(40);
    const ended = await read(gone);
    expect(ended).toMatchObject({ status: 'ended', endReason: 'client_left' });
    expect(ended.usage.seconds).toBeLessThan(40);
  });

  test('end sessions that have reached maxSeconds, and remove their clients', async () => {
    const short = await createLivekitWorld({ runtime: { limits: { maxSeconds: 60, idleSeconds: 30 } } });
    const { look } = await watching();
    const sessionId = await joined(short);
    await look();
    await lives.pass(sessionId, 61);
    await look();
    expect(await read(sessionId, short)).toMatchObject({
      status: 'ended',
      endReason: 'max_duration',
      usage: { seconds: 60 },
    });
    await isRemoved(sessionId);
  });

  test('report nothing while LiveKit does not answer', async () => {
    const { look, lines, reported, wait } = await watching();
    const ids = [await joined(), await joined(), await joined()];
    await look();
    livekit.failsWith = 500;
    wait(31_000);
    reported.length = 0;
    for (const id of ids) await lives.pass(id, 25);
    await look();
    expect(reported).toEqual([]);
    expect(lines.filter((line) => line.includes('cannot be reached'))).toHaveLength(1);
    expect(lines.join()).not.toContain(livekitKeys.apiSecret);
  });

  test('report, begin and remove at one address while another address never responds', async () => {
    const { sessions, hanging, reported, asked, removals, wait } = await watching();
    const transport = { type: 'livekit', url: `${livekit.url}/` };
    const stuckWorld = await createLivekitWorld({ runtime: { transport } });
    const stuck = await Promise.all(Array.from({ length: 20 }, () => joined(stuckWorld)));
    const [here, leaves, silent] = [await joined(), await joined(), await minted()];
    hanging.add(transport.url);
    sessions.expect(silent);
    livekit.join(silent);
    wait(31_000);
    for (const id of [...stuck, here, leaves]) await lives.pass(id, 20);
    await sessions.look();
    await expect.poll(() => reported.join()).toContain(here);
    await expect.poll(async () => (await read(silent)).status).toBe('active');
    expect(reported.join()).not.toContain(stuck[0]);
    expect(stuck.filter((id) => asked.includes(id))).toHaveLength(1);
    // Further rounds are not delayed either, and confirm sessions again.
    for (const id of stuck)
      await service.call({
        method: 'POST',
        path: `/v1/sessions/${id}/end`,
        headers: { Authorization: `Bearer ${stuckWorld.key}` },
      });
    livekit.leave(leaves);
    wait(31_000);
    for (const id of [here, leaves]) await lives.pass(id, 20);
    await sessions.look();
    await expect.poll(async () => (await read(leaves)).status).toBe('ended');
    await expect.poll(async () => (await read(here)).usage.seconds).toBeGreaterThanOrEqual(40);
    expect(stuck.filter((id) => removals.includes(id))).toHaveLength(1);
    const ending = await joined();
    await sessions.look();
    const headers = { Authorization: `Bearer ${world.key}` };
    await service.call({ method: 'POST', path: `/v1/sessions/${ending}/end`, headers });
    await sessions.look();
    await expect.poll(() => removals).toContain(ending);
  });

  test('confirm the other sessions of an address if the requests about one session fail', async () => {
    const { look, failing, reported, removals, wait } = await watching();
    const ids = [await joined(), await joined(), await joined()];
    for (const broken of ids) {
      failing.clear();
      failing.add(broken);
      wait(31_000);
      reported.length = 0;
      for (const id of ids) await lives.pass(id, 5);
      await look();
      for (const id of ids) expect(reported.join().includes(id), id).toBe(id !== broken);
    }
    expect(removals).toEqual([]);
  });

  test('begin sessions whose client has joined without a webhook, and forget those that never join', async () => {
    const { sessions, look, lines, asked, wait } = await watching();
    const [silent, never] = [await minted(), await minted()];
    sessions.expect(silent);
    sessions.expect(never);
    livekit.join(silent);
    wait(14_000);
    await look();
    const times = (id: string) => asked.filter((one) => one === id).length;
    expect([times(silent), times(never)]).toEqual([0, 0]);
    wait(2_000);
    await look();
    expect(await read(silent)).toMatchObject({ status: 'active' });
    expect(await read(never)).toMatchObject({ status: 'created' });
    expect(lines.join()).toContain('sent no webhook');
    expect([times(silent), times(never)]).toEqual([1, 1]);
    await lives.pass(never, 700);
    wait(60_000);
    await look();
    wait(600_000);
    await look();
    expect(times(never)).toBe(2);
  });

  test('remove clients of sessions that another process has ended, and try again while LiveKit is down', async () => {
    const { look, removals } = await watching();
    const sessionId = await joined();
    await look();
    livekit.failsWith = 500;
    const headers = { Authorization: `Bearer ${world.key}` };
    await service.call({ method: 'POST', path: `/v1/sessions/${sessionId}/end`, headers });
    await look();
    expect(removals).toContain(sessionId);
    removals.length = 0;
    livekit.failsWith = undefined;
    await look();
    expect(removals).toContain(sessionId);
    await isRemoved(sessionId);
    removals.length = 0;
    await look();
    expect(removals).not.toContain(sessionId);
  });
});
