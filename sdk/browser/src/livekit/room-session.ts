import {
  DisconnectReason,
  type LocalAudioTrack,
  type RemoteParticipant,
  type RemoteTrack,
  Room,
  RoomEvent,
  setLogLevel,
  type TextStreamReader,
  Track,
} from 'livekit-client';
import type { Connection, Mode, TransportContext } from '../types.ts';
import { closeCodeTokenUsed, closeCodeTooManySessions } from '../wire.ts';
import { RoomSound } from './room-sound.ts';

/** Milliseconds to wait for the agent after joining. Long, because it may have to start a process. */
const agentTimeoutMs = 20_000;
/** Milliseconds that an agent may be away before the session ends: LiveKit may dispatch another one. */
const agentGoneMs = 10_000;

const modes: readonly string[] = ['listening', 'thinking', 'speaking'] satisfies Mode[];

/** Reasons for which a session has ended in order: the service or LiveKit has ended it. */
const inOrder: readonly (DisconnectReason | undefined)[] = [
  DisconnectReason.PARTICIPANT_REMOVED,
  DisconnectReason.ROOM_DELETED,
  DisconnectReason.ROOM_CLOSED,
  DisconnectReason.SERVER_SHUTDOWN,
];

/** Codes of session.v1 for connections that LiveKit ends before the session is live. The service removes clients over a limit. */
const closeCodes: Partial<Record<DisconnectReason, number>> = {
  [DisconnectReason.PARTICIPANT_REMOVED]: closeCodeTooManySessions,
  [DisconnectReason.DUPLICATE_IDENTITY]: closeCodeTokenUsed,
};

/** A session in a room of LiveKit: the visitor and an agent, which are the only participants. */
export class RoomSession implements Connection {
  readonly #context: TransportContext;
  readonly #room = new Room();
  readonly #sound: RoomSound;
  #isClosed = false;
  /** Whether an agent has joined. */
  #isLive = false;
  /** Rejects if the connection ends before the session is live. */
  readonly #refused: Promise<never>;
  #agentTimer: ReturnType<typeof setTimeout> | undefined;
  /** The microphone's track that was published last; it stays published, but muted, while the microphone is off. */
  #published: LocalAudioTrack | undefined;
  /** Changes of the microphone, one after the other. */
  #micChanges: Promise<unknown> = Promise.resolve();

  static async open(context: TransportContext): Promise<RoomSession> {
    const { manifest, signal } = context;
    const { transport } = manifest;
    // The session was ended while this file was loading.
    if (signal.aborted) throw signal.reason;
    // LiveKit's log lines contain addresses and names of rooms.
    setLogLevel('silent');
    const session = new RoomSession(context);
    try {
      await Promise.race([session.#join(transport.url, transport.token as string), session.#refused]);
      session.#isLive = true;
    } catch (error) {
      session.close();
      throw error;
    }
    return session;
  }

  private constructor(context: TransportContext) {
    this.#context = context;
    this.#sound = new RoomSound(context.audio);
    const { sink, signal } = context;
    signal.addEventListener('abort', () => this.close());
    this.#room
      .on(RoomEvent.TrackSubscribed, (track) => this.#onTrack(track, true))
      .on(RoomEvent.TrackUnsubscribed, (track) => this.#onTrack(track, false))
      .on(RoomEvent.ParticipantAttributesChanged, (changed, participant) => {
        if (!participant.isLocal) this.#onState(changed);
      })
      .on(RoomEvent.ParticipantConnected, () => clearTimeout(this.#agentTimer))
      .on(RoomEvent.ParticipantDisconnected, () => this.#onAgentLeft())
      .on(RoomEvent.Reconnecting, () => sink.dropped())
      .on(RoomEvent.Reconnected, () => sink.resumed())
      .on(RoomEvent.Disconnected, (reason) => {
        if (this.#isLive) this.#finish(inOrder.includes(reason) ? 'runtime' : 'error');
      });
    this.#refused = new Promise((_, reject) => {
      this.#room.on(RoomEvent.Disconnected, (reason = DisconnectReason.UNKNOWN_REASON) => {
        const error = new Error(`LiveKit ended the connection (${DisconnectReason[reason]})`);
        reject(Object.assign(error, { closeCode: closeCodes[reason] }));
      });
    });
    this.#room.registerTextStreamHandler('lk.transcription', (reader, { identity }) => {
      this.#onTranscription(reader, identity).catch(() => {
        // The stream was cut off with the connection.
      });
    });
  }

  setMic(track: MediaStreamTrack | null): void {
    this.#micChanges = this.#micChanges
      .then(() => this.#publish(track))
      .catch((cause) => {
        // The room was left in the meantime, or the token does not permit publishing.
        if (!this.#isClosed) this.#context.sink.event({ type: 'microphone-failed', reason: String(cause) });
      });
  }

  sendText(text: string): void {
    this.#room.localParticipant.sendText(text, { topic: 'lk.chat' }).catch(() => {
      // The connection was lost; `dropped` has been reported.
    });
  }

  /** Agents that do not know the method go on speaking. */
  interrupt(): void {
    for (const { identity: destinationIdentity } of this.#room.remoteParticipants.values())
      this.#room.localParticipant
        .performRpc({ destinationIdentity, method: 'interrupt', payload: '' })
        .catch(() => {});
  }

  setVolume(volume: number): void {
    this.#sound.setVolume(volume);
  }

  level(): number {
    return this.#sound.level();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#agentTimer);
    this.#sound.close();
    void this.#room.disconnect();
  }

  #finish(by: 'runtime' | 'error'): void {
    if (this.#isClosed) return;
    this.close();
    this.#context.sink.closed(by);
  }

  /** Resolves when an agent is in the room. The session is live only then, because without an agent there is no answer. */
  async #join(url: string, token: string): Promise<void> {
    const { manifest, sink } = this.#context;
    await this.#room.connect(url, token);
    await new Promise<void>((resolve, reject) => {
      if (this.#isClosed) return reject(this.#context.signal.reason);
      if (this.#room.remoteParticipants.size > 0) return resolve();
      this.#agentTimer = setTimeout(
        () => reject(new Error('no agent has joined the room; check agentName and the agent')),
        agentTimeoutMs,
      );
      this.#room.once(RoomEvent.ParticipantConnected, () => resolve());
    });
    const [agent] = this.#room.remoteParticipants.values() as Iterator<RemoteParticipant> &
      Iterable<RemoteParticipant>;
    const engines = enginesOf(agent);
    // As with the other transport, the first events follow once the caller has the connection.
    setTimeout(() => {
      if (this.#isClosed) return;
      sink.event({ type: 'ready', engines, limits: manifest.limits });
      this.#onState(agent?.attributes ?? {});
    });
  }

  #onAgentLeft(): void {
    if (this.#room.remoteParticipants.size > 0) return;
    clearTimeout(this.#agentTimer);
    this.#agentTimer = setTimeout(() => this.#finish('runtime'), agentGoneMs);
  }

  #onTrack(track: RemoteTrack, isAdded: boolean): void {
    const { mediaStreamTrack } = track;
    if (track.kind === Track.Kind.Video) this.#context.sink.video(isAdded ? mediaStreamTrack : null);
    else if (isAdded) this.#sound.add(mediaStreamTrack);
    else this.#sound.remove(mediaStreamTrack);
  }

  #onState({ 'lk.agent.state': state }: Record<string, string>): void {
    if (state !== undefined && modes.includes(state)) this.#context.sink.mode(state as Mode);
  }

  /** A stream is one segment of the agent's speech, or a transcript of the visitor's, which later streams replace. */
  async #onTranscription(reader: TextStreamReader, identity: string): Promise<void> {
    const { characters } = this.#context.manifest;
    const attributes = () => reader.info.attributes ?? {};
    const isUser = identity === this.#room.localParticipant.identity;
    const about = {
      id: attributes()['lk.segment_id'] ?? reader.info.id,
      ...(isUser
        ? { role: 'user' as const }
        : { role: 'character' as const, ...(characters[0] && { characterId: characters[0].characterId }) }),
    };
    let text = '';
    for await (const part of reader) {
      text += part;
      this.#context.sink.message({ ...about, text, status: 'partial' });
    }
    const isFinal = !isUser || attributes()['lk.transcription_final'] === 'true';
    if (text !== '' && isFinal) this.#context.sink.message({ ...about, text, status: 'final' });
  }

  async #publish(track: MediaStreamTrack | null): Promise<void> {
    if (this.#isClosed) return;
    if (track === null) {
      await this.#published?.mute();
    } else if (this.#published === undefined) {
      const { audioTrack } = await this.#room.localParticipant.publishTrack(track, {
        source: Track.Source.Microphone,
        // The microphone itself stops its tracks.
        stopMicTrackOnMute: false,
      });
      this.#published = audioTrack as LocalAudioTrack;
    } else {
      const local = this.#published;
      if (local.mediaStreamTrack !== track) await local.replaceTrack(track, { userProvidedTrack: true });
      await local.unmute();
    }
  }
}

/** What the agent says about its engines, in the form of the event `ready`; otherwise what any agent is. */
function enginesOf(agent: RemoteParticipant | undefined): object {
  try {
    const stated = JSON.parse(agent?.attributes['session.engines'] ?? '');
    if (stated.mind.kind && stated.speech.kind && stated.hearing.kind) return stated;
  } catch {
    // It says nothing.
  }
  const server = { kind: 'server', name: 'livekit' };
  return {
    mind: { kind: 'livekit', name: agent?.name || 'of a LiveKit agent' },
    speech: server,
    hearing: server,
  };
}
