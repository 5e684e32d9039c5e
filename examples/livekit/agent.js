// An agent for LiveKit that speaks with the mind and the voice of an experience of the session launch service: for each room, it mints a
// session of that experience and passes sound and texts between its runtime and the room.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { cli, defineAgent, ServerOptions } from '@livekit/agents';
import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';
import { SessionLaunch } from '@session-launch/backend';
import { Character } from './character.js';

const {
  LAUNCH_URL,
  LAUNCH_KEY,
  EXPERIENCE_ID = 'exp_harbor_guide',
  AGENT_NAME = 'harbor-guide',
} = process.env;

/** Milliseconds of sound that wait in the track: what a listener still hears after an interruption. */
const queueMs = 200;

export default defineAgent({
  entry: async (job) => {
    await job.connect();
    const user = await job.waitForParticipant();
    const { room } = job;
    const { sessionId } = JSON.parse(job.job.metadata || '{}');
    const launch = new SessionLaunch({ baseUrl: LAUNCH_URL, apiKey: LAUNCH_KEY });
    const minted = await launch.sessions.mint({
      experienceId: EXPERIENCE_ID,
      ...(sessionId === undefined ? {} : { metadata: { livekitSession: sessionId } }),
    });
    const character = new Character(minted.launch);
    const said = new Set();

    character.once('ready', (ready) => begin(ready).catch((error) => job.shutdown(error.message)));
    // Without its character the room is of no use. Deleting it ends the session of the user.
    character.on('close', async () => {
      await job.deleteRoom().catch(() => {});
      job.shutdown('the conversation has ended');
    });
    room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => {
      if (identity === user.identity) character.leave();
    });

    async function begin({ audio, engines }) {
      await speak(character, room, audio.output.sampleRate);
      const agent = room.localParticipant;
      await agent.setAttributes({
        'lk.agent.state': 'listening',
        'session.engines': JSON.stringify(engines),
      });
      character.on('mode', ({ mode }) => agent.setAttributes({ 'lk.agent.state': mode }).catch(() => {}));
      transcribe(character, room, user.identity, said);
      room.registerTextStreamHandler('lk.chat', async (reader) => {
        const id = randomUUID();
        said.add(id);
        character.say(id, await reader.readAll());
      });
      agent.registerRpcMethod('interrupt', async () => {
        character.interrupt();
        return '';
      });
      if (engines.hearing.kind === 'server') listen(character, room);
    }
  },
});

/** Plays the sound of the character in the room, and tells its runtime what was played. */
async function speak(character, room, sampleRate) {
  const source = new AudioSource(sampleRate, 1, queueMs);
  const track = LocalAudioTrack.createAudioTrack('voice', source);
  await room.localParticipant.publishTrack(
    track,
    new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE }),
  );
  let queue = Promise.resolve();
  let generation = 0;
  const inMs = (samples) => (samples / sampleRate) * 1000;
  character.on('sound', ({ utterance, samples, offset, isLast }) => {
    const own = generation;
    queue = queue.then(async () => {
      if (own !== generation) return;
      if (samples.length > 0)
        await source.captureFrame(new AudioFrame(samples, sampleRate, 1, samples.length));
      if (isLast) await source.waitForPlayout();
      if (own !== generation) return;
      const ms = inMs(offset + samples.length) - source.queuedDuration;
      character.played(utterance, Math.max(0, ms), isLast);
    });
  });
  character.on('interrupted', () => {
    generation++;
    source.clearQueue();
  });
}

/** Sends the texts of the conversation to the room, except those that the user has typed. */
function transcribe(character, room, user, typed) {
  const open = new Map();
  character.on('message', async ({ id, role, text, status }) => {
    if (typed.has(id)) return;
    const attributes = {
      'lk.segment_id': id,
      'lk.transcription_final': String(role !== 'user' || status === 'final'),
    };
    const topic = 'lk.transcription';
    // Of the user, every text replaces the one before. Of the character, a stream grows with the text.
    if (role === 'user') {
      await room.localParticipant.sendText(text, { topic, attributes, senderIdentity: user });
      return;
    }
    const known = open.get(id) ?? {
      written: 0,
      writing: Promise.resolve(),
      writer: room.localParticipant.streamText({ topic, attributes }),
    };
    open.set(id, known);
    const part = text.slice(known.written);
    known.written = text.length;
    if (status === 'final') open.delete(id);
    known.writing = known.writing.then(async () => {
      const writer = await known.writer;
      if (part !== '') await writer.write(part);
      if (status === 'final') await writer.close();
    });
    await known.writing;
  });
}

/** Passes the microphone of the user to the character. */
function listen(character, room) {
  const hear = async (track) => {
    const options = { sampleRate: 16_000, numChannels: 1, frameSizeMs: 40 };
    for await (const { data } of new AudioStream(track, options)) character.hear(data);
  };
  room.on(RoomEvent.TrackSubscribed, (track) => {
    if (track.kind === TrackKind.KIND_AUDIO) void hear(track);
  });
  for (const { trackPublications } of room.remoteParticipants.values())
    for (const { track } of trackPublications.values())
      if (track?.kind === TrackKind.KIND_AUDIO) void hear(track);
}

cli.runApp(new ServerOptions({ agent: fileURLToPath(import.meta.url), agentName: AGENT_NAME }));
