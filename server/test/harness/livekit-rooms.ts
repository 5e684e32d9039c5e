import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  ListParticipantsResponse,
  ParticipantInfo,
  RoomParticipantIdentity,
  WebhookEvent,
} from '@livekit/protocol';
import type { Answer } from '@session-launch/testing/http.ts';
import { listen } from '@session-launch/testing/listen.ts';
import type { Target } from '@session-launch/testing/target.ts';
import { AccessToken, TokenVerifier } from 'livekit-server-sdk';

export const livekitKeys = { apiKey: 'API_test', apiSecret: 'a-secret-of-forty-characters-for-livekit' };
export const livekitEnvironment = {
  LIVEKIT_API_KEY: livekitKeys.apiKey,
  LIVEKIT_API_SECRET: livekitKeys.apiSecret,
};

export interface LivekitRooms {
  /** For `transport.url` in project files. */
  url: string;
  server: Server;
  /** The identities in each room. */
  rooms: Map<string, Set<string>>;
  /** Calls of RoomService: method, room and identity. */
  calls: { method: string; room: string; identity: string }[];
  /** While set, every request gets this status. */
  failsWith: number | undefined;
  join(sessionId: string): void;
  leave(sessionId: string): void;
  close(): Promise<void>;
}

/** LiveKit's RoomService for rooms that exist only as names. Requests are parsed and tokens verified by LiveKit's own code. */
export async function startLivekitRooms(): Promise<LivekitRooms> {
  const verifier = new TokenVerifier(livekitKeys.apiKey, livekitKeys.apiSecret);
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    // Clients ask why their connection was refused.
    if (request.method === 'GET')
      return response.writeHead(404, { 'Access-Control-Allow-Origin': '*' }).end('not found');
    const body = (await buffer(request)).toString();
    if (livekit.failsWith !== undefined) return answer(livekit.failsWith, { code: 'internal', msg: '' });
    const [, method] = /^\/twirp\/livekit\.RoomService\/(\w+)$/.exec(request.url ?? '') ?? [];
    const asked = RoomParticipantIdentity.fromJsonString(body);
    const claims = await verifier
      .verify((request.headers.authorization ?? '').replace('Bearer ', ''))
      .catch(() => undefined);
    if (!claims) return answer(401, { code: 'unauthenticated', msg: 'invalid token' });
    // Each request may only concern the room that it is signed for.
    if (!claims.video?.roomAdmin || claims.video.room !== asked.room || Object.keys(claims.video).length > 2)
      return answer(403, { code: 'permission_denied', msg: '' });
    livekit.calls.push({ method: String(method), room: asked.room, identity: asked.identity });
    const room = livekit.rooms.get(asked.room);
    const info = new ParticipantInfo({ sid: 'PA_1', identity: asked.identity });
    if (method === 'ListParticipants')
      return answer(200, new ListParticipantsResponse({ participants: [] }).toJson());
    if (!room?.has(asked.identity))
      return answer(404, { code: 'not_found', msg: 'participant does not exist' });
    if (method === 'GetParticipant') return answer(200, info.toJson());
    room.delete(asked.identity);
    return answer(200, {});
  });
  const port = await listen(server);
  const livekit: LivekitRooms = {
    url: `ws://127.0.0.1:${port}`,
    server,
    rooms: new Map(),
    calls: [],
    failsWith: undefined,
    join: (sessionId) => livekit.rooms.set(sessionId, new Set([`user_${sessionId}`, 'agent-1'])),
    leave: (sessionId) => livekit.rooms.get(sessionId)?.delete(`user_${sessionId}`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return livekit;
}

interface Signed {
  body: string;
  authorization: string;
}

let events = 0;

/** A webhook as LiveKit sends it: the JSON form of its protobuf message, and a token with the hash of the body. */
export async function livekitWebhook(
  event: string,
  room: string,
  {
    identity = `user_${room}`,
    keys = livekitKeys,
    ttl = '5m' as string | number,
    signs = undefined as string | undefined,
  } = {},
): Promise<Signed> {
  const message = new WebhookEvent({
    event,
    id: `EV_${++events}`,
    createdAt: BigInt(Math.floor(Date.now() / 1000)),
    room: { sid: 'RM_1', name: room },
    ...(event.startsWith('participant') ? { participant: { sid: 'PA_1', identity } } : {}),
  });
  const body = message.toJsonString();
  const token = new AccessToken(keys.apiKey, keys.apiSecret, { ttl });
  token.sha256 = createHash('sha256')
    .update(signs ?? body)
    .digest('base64');
  return { body, authorization: await token.toJwt() };
}

export function sendWebhook(
  service: Pick<Target, 'call'>,
  { body, authorization }: { body: string; authorization?: string },
): Promise<Answer> {
  return service.call({
    method: 'POST',
    path: '/runtime/v1/livekit',
    headers: {
      'Content-Type': 'application/webhook+json',
      ...(authorization === undefined ? {} : { Authorization: authorization }),
    },
    body,
  });
}
