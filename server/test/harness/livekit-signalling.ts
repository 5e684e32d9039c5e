import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  DataPacket,
  DataStream_Chunk,
  DataStream_Header,
  DataStream_TextHeader,
  DataStream_Trailer,
  DisconnectReason,
  JoinResponse,
  LeaveRequest_Action,
  ParticipantInfo,
  ParticipantInfo_Kind,
  ParticipantInfo_State,
  SignalRequest,
  SignalResponse,
  SignalTarget,
  TrackInfo,
  TrackSource,
  TrackType,
} from '@livekit/protocol';
import type { Target } from '@session-launch/testing/target.ts';
import { TokenVerifier } from 'livekit-server-sdk';
import type { Page } from 'playwright-core';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  type LivekitRooms,
  livekitKeys,
  livekitWebhook,
  sendWebhook,
  startLivekitRooms,
} from './livekit-rooms.ts';

/** A room with one client, seen from the side of the agent. */
export interface StandInRoom {
  sessionId: string;
  /** Texts that the client has sent on `lk.chat`, and methods that it has called. */
  heard: string[];
  /** Tracks that the client has published. */
  published: string[];
  /** Sets the attribute `lk.agent.state`. */
  state(state: string): void;
  /** Sends a stream on `lk.transcription`. */
  transcribe(id: string, parts: string[], by: 'agent' | 'user', isFinal: boolean): Promise<void>;
  /** Whether the client has ended its connection. */
  isLeft: boolean;
}

const agent = 'agent-guide';

/**
 * The media side, in a page of Chromium: one connection towards the client with the sound and the picture of the agent, and one that
 * receives what the client publishes. LiveKit names tracks in the ids of streams.
 */
const mediaServer = `globalThis.media = {
  rooms: new Map(),
  async offer(room) {
    const down = new RTCPeerConnection();
    const up = new RTCPeerConnection();
    const audio = new AudioContext();
    const tone = audio.createOscillator();
    const sink = audio.createMediaStreamDestination();
    tone.connect(sink);
    tone.start();
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 64;
    const drawing = canvas.getContext('2d');
    setInterval(() => { drawing.fillStyle = drawing.fillStyle === '#ff0000' ? '#00ff00' : '#ff0000'; drawing.fillRect(0, 0, 64, 64); }, 50);
    down.addTrack(sink.stream.getAudioTracks()[0], sink.stream);
    const picture = canvas.captureStream(20);
    down.addTrack(picture.getVideoTracks()[0], picture);
    const reliable = down.createDataChannel('_reliable', { ordered: true });
    reliable.binaryType = 'arraybuffer';
    down.createDataChannel('_lossy', { ordered: false, maxRetransmits: 0 });
    down.onicecandidate = ({ candidate }) => candidate && toServer(room, 'candidate', JSON.stringify({ target: 1, candidate }));
    up.onicecandidate = ({ candidate }) => candidate && toServer(room, 'candidate', JSON.stringify({ target: 0, candidate }));
    up.ondatachannel = ({ channel }) => {
      channel.binaryType = 'arraybuffer';
      channel.onmessage = ({ data }) => toServer(room, 'data', btoa(String.fromCharCode(...new Uint8Array(data))));
    };
    up.ontrack = ({ track }) => toServer(room, 'track', track.kind);
    this.rooms.set(room, { down, up, reliable });
    await down.setLocalDescription(await down.createOffer());
    const names = { audio: 'PA_agent|TR_audio TR_audio', video: 'PA_agent|TR_video TR_video' };
    let kind = '';
    return down.localDescription.sdp.split('\\r\\n').map((line) => {
      kind = /^m=(\\w+)/.exec(line)?.[1] ?? kind;
      return line.replace(/^(a=msid:|a=ssrc:\\d+ msid:).*/, (_, start) => start + names[kind]);
    }).join('\\r\\n');
  },
  async answered(room, sdp) { await this.rooms.get(room).down.setRemoteDescription({ type: 'answer', sdp }); },
  async answer(room, sdp) {
    const { up } = this.rooms.get(room);
    await up.setRemoteDescription({ type: 'offer', sdp });
    await up.setLocalDescription(await up.createAnswer());
    return up.localDescription.sdp;
  },
  async candidate(room, target, init) {
    const { up, down } = this.rooms.get(room);
    await (target === 0 ? up : down).addIceCandidate(init).catch(() => {});
  },
  async send(room, base64) {
    const { reliable } = this.rooms.get(room);
    while (reliable.readyState !== 'open') await new Promise((resolve) => setTimeout(resolve, 20));
    reliable.send(Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)));
  },
};`;

export interface LivekitStandIn extends LivekitRooms {
  /** The room of a session, once its client has joined. */
  room(sessionId: string): Promise<StandInRoom>;
  /** Query strings of the signalling connections. */
  joins: string[];
  /** Whether an agent is in the rooms. */
  hasAgent: boolean;
}

/**
 * A LiveKit server as far as a client sees it: signalling in LiveKit's protobuf, with media and data channels through `page`, an agent that
 * the test speaks for, and webhooks to the service. It has no version 1 of the signalling path, so clients fall back to the former one.
 */
export async function startLivekitStandIn(
  service: () => Pick<Target, 'call'>,
  page: Page,
): Promise<LivekitStandIn> {
  const rooms = await startLivekitRooms();
  const verifier = new TokenVerifier(livekitKeys.apiKey, livekitKeys.apiSecret);
  const sockets = new WebSocketServer({ noServer: true });
  const open = new Map<string, { socket: WebSocket; room: StandInRoom }>();
  const waiting = new Map<string, (room: StandInRoom) => void>();
  const joins: string[] = [];
  const fromPage = new Map<string, (what: string, value: string) => void>();
  await page.exposeFunction('toServer', (room: string, what: string, value: string) =>
    fromPage.get(room)?.(what, value),
  );
  await page.evaluate(mediaServer);
  const media = <T>(call: string, ...values: unknown[]): Promise<T> =>
    page.evaluate(`media.${call}(${values.map((value) => JSON.stringify(value)).join(', ')})`) as Promise<T>;
  const say = async (event: string, room: string) =>
    void (await sendWebhook(service(), await livekitWebhook(event, room)));

  rooms.server.on('upgrade', async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { pathname, searchParams, search } = new URL(request.url ?? '', 'http://localhost');
    const claims = await verifier.verify(searchParams.get('access_token') ?? '').catch(() => undefined);
    if (pathname !== '/rtc' || !claims?.video?.roomJoin) {
      socket.end(`HTTP/1.1 ${pathname === '/rtc' ? 401 : 404} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    joins.push(search);
    const { room: name } = claims.video as { room: string };
    sockets.handleUpgrade(request, socket, head, (ws) => void admit(ws, name, String(claims.sub)));
  });

  async function admit(socket: WebSocket, name: string, identity: string): Promise<void> {
    const send = (message: SignalResponse['message']) =>
      socket.send(new SignalResponse({ message } as never).toBinary());
    const tracks = [
      new TrackInfo({ sid: 'TR_audio', type: TrackType.AUDIO, source: TrackSource.MICROPHONE }),
      new TrackInfo({
        sid: 'TR_video',
        type: TrackType.VIDEO,
        source: TrackSource.CAMERA,
        width: 64,
        height: 64,
      }),
    ];
    const guide = (attributes: Record<string, string>) =>
      new ParticipantInfo({
        sid: 'PA_agent',
        identity: agent,
        kind: ParticipantInfo_Kind.AGENT,
        state: ParticipantInfo_State.ACTIVE,
        attributes,
        tracks,
      });
    const room: StandInRoom = {
      sessionId: name,
      heard: [],
      published: [],
      isLeft: false,
      state: (state) =>
        send({ case: 'update', value: { participants: [guide({ 'lk.agent.state': state })] } as never }),
      transcribe: async (id, parts, by, isFinal) => {
        const about = { participantIdentity: by === 'agent' ? agent : identity };
        const streamId = `stream-${id}-${parts.length}${isFinal}`;
        const attributes = { 'lk.segment_id': id, 'lk.transcription_final': String(isFinal) };
        const packets = [
          new DataPacket({
            ...about,
            value: {
              case: 'streamHeader',
              value: new DataStream_Header({
                streamId,
                topic: 'lk.transcription',
                mimeType: 'text/plain',
                attributes,
                timestamp: BigInt(Date.now()),
                contentHeader: { case: 'textHeader', value: new DataStream_TextHeader() },
              }),
            },
          }),
          ...parts.map(
            (part, index) =>
              new DataPacket({
                ...about,
                value: {
                  case: 'streamChunk',
                  value: new DataStream_Chunk({
                    streamId,
                    chunkIndex: BigInt(index),
                    content: new TextEncoder().encode(part),
                  }),
                },
              }),
          ),
          new DataPacket({
            ...about,
            value: { case: 'streamTrailer', value: new DataStream_Trailer({ streamId }) },
          }),
        ];
        for (const packet of packets)
          await media('send', name, Buffer.from(packet.toBinary()).toString('base64'));
      },
    };
    const texts = new Map<string, string>();
    fromPage.set(name, (what, value) => {
      if (what === 'candidate') {
        const { target, candidate } = JSON.parse(value);
        send({ case: 'trickle', value: { target, candidateInit: JSON.stringify(candidate) } as never });
      } else if (what === 'track') room.published.push(value);
      else {
        const { value: packet } = DataPacket.fromBinary(Buffer.from(value, 'base64'));
        if (packet.case === 'streamHeader') texts.set(packet.value.streamId, packet.value.topic);
        else if (packet.case === 'streamChunk')
          room.heard.push(
            `${texts.get(packet.value.streamId)}: ${new TextDecoder().decode(packet.value.content)}`,
          );
        else if (packet.case === 'rpcRequest') room.heard.push(`call: ${packet.value.method}`);
      }
    });
    socket.on('message', async (data: Buffer) => {
      const { message } = SignalRequest.fromBinary(data);
      if (message.case === 'answer') await media('answered', name, message.value.sdp);
      else if (message.case === 'offer') {
        const sdp = await media<string>('answer', name, message.value.sdp);
        send({ case: 'answer', value: { type: 'answer', sdp, id: message.value.id } as never });
      } else if (message.case === 'trickle') {
        const { target, candidateInit } = message.value;
        await media('candidate', name, target === SignalTarget.PUBLISHER ? 0 : 1, JSON.parse(candidateInit));
      } else if (message.case === 'addTrack') {
        const { cid, type, source, name: trackName } = message.value;
        const track = new TrackInfo({ sid: `TR_${cid}`, type, source, name: trackName });
        send({ case: 'trackPublished', value: { cid, track } as never });
      } else if (message.case === 'pingReq')
        send({ case: 'pongResp', value: { lastPingTimestamp: message.value.timestamp } as never });
      else if (message.case === 'leave') socket.close();
    });
    socket.on('close', () => {
      room.isLeft = true;
      open.delete(name);
      rooms.leave(name);
      void say('participant_left', name);
    });
    rooms.join(name);
    send({
      case: 'join',
      value: new JoinResponse({
        room: { sid: 'RM_1', name },
        participant: {
          sid: 'PA_user',
          identity,
          state: ParticipantInfo_State.JOINED,
          permission: { canPublish: true, canSubscribe: true, canPublishData: true },
        },
        otherParticipants: standIn.hasAgent ? [guide({ 'lk.agent.state': 'listening' })] : [],
        serverVersion: '1.9.0',
        subscriberPrimary: true,
        pingInterval: 10,
        pingTimeout: 20,
      }),
    });
    const sdp = await media<string>('offer', name);
    send({ case: 'offer', value: { type: 'offer', sdp, id: 1 } as never });
    await say('participant_joined', name);
    open.set(name, { socket, room });
    waiting.get(name)?.(room);
  }

  // Disconnects clients that RoomService has removed, with the reason.
  const removed = setInterval(() => {
    for (const [name, { socket }] of open) {
      if (rooms.rooms.get(name)?.has(`user_${name}`)) continue;
      const value = { reason: DisconnectReason.PARTICIPANT_REMOVED, action: LeaveRequest_Action.DISCONNECT };
      socket.send(new SignalResponse({ message: { case: 'leave', value: value as never } }).toBinary());
      socket.close();
      open.delete(name);
    }
  }, 20);

  const standIn: LivekitStandIn = Object.assign(rooms, {
    joins,
    hasAgent: true,
    room: (sessionId: string) => {
      const known = open.get(sessionId);
      if (known) return Promise.resolve(known.room);
      return new Promise<StandInRoom>((resolve) => waiting.set(sessionId, resolve));
    },
    close: async () => {
      clearInterval(removed);
      for (const { socket } of open.values()) socket.terminate();
      sockets.close();
      rooms.server.closeAllConnections();
      await new Promise<void>((resolve) => rooms.server.close(() => resolve()));
    },
  });
  return standIn;
}
