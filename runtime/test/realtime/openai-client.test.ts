import { connect } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RealtimeServer, startRealtimeServer } from './realtime-server.ts';
import { openVoices, type Voices } from './realtime-world.ts';

// The client of OpenAI's own package talks to the server that the other tests use: it is not shaped to this runtime.

let voices: Voices;
let server: RealtimeServer;
beforeAll(async () => {
  voices = await openVoices();
  server = await startRealtimeServer((text) => voices.speak(text, 24_000));
});
afterAll(async () => {
  await server.close();
  await voices.close();
});

/** Connects the package's client. It insists on TLS addresses: the connection below it is a plain one. */
async function connected() {
  const client = new OpenAI({ apiKey: 'sk-test', baseURL: `https://127.0.0.1:${server.port}/v1` });
  const realtime = new OpenAIRealtimeWS(
    {
      model: 'gpt-realtime',
      options: { createConnection: () => connect(server.port, '127.0.0.1') },
    },
    client,
  );
  const events: RealtimeServerEvent[] = [];
  const errors: Error[] = [];
  realtime.on('event', (event) => events.push(event));
  realtime.on('error', (error) => errors.push(error));
  const event = async <T extends RealtimeServerEvent['type']>(type: T, from = 0) => {
    await expect.poll(() => events.slice(from).some((one) => one.type === type)).toBe(true);
    return events.slice(from).find((one) => one.type === type) as Extract<RealtimeServerEvent, { type: T }>;
  };
  await event('session.created');
  const format = { type: 'audio/pcm', rate: 24_000 } as const;
  realtime.send({
    type: 'session.update',
    session: {
      type: 'realtime',
      output_modalities: ['audio'],
      instructions: 'Be brief.',
      audio: {
        input: { format, transcription: { model: 'gpt-4o-mini-transcribe' }, turn_detection: null as never },
        output: { format, voice: 'marin' },
      },
    },
  });
  await event('session.updated');
  return { realtime, events, errors, event };
}

test('typed and spoken turns with audio, transcripts, truncation and usage', async () => {
  const { realtime, events, errors, event } = await connected();
  realtime.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello!' }] },
  });
  realtime.send({ type: 'response.create' });
  const done = await event('response.done');
  expect(done.response.status).toBe('completed');
  expect(done.response.usage?.output_token_details?.audio_tokens).toBeGreaterThan(10);
  const transcript = await event('response.output_audio_transcript.done');
  expect(transcript.transcript).toBe(server.reply);
  const audio = events.flatMap((one) =>
    one.type === 'response.output_audio.delta' ? [Buffer.from(one.delta, 'base64')] : [],
  );
  const expected = await voices.speak(server.reply, 24_000);
  expect(Buffer.concat(audio).length).toBe(expected.length * 2);

  realtime.send({
    type: 'conversation.item.truncate',
    item_id: transcript.item_id,
    content_index: 0,
    audio_end_ms: 500,
  });
  expect((await event('conversation.item.truncated')).audio_end_ms).toBe(500);

  const speech = await voices.speak('When do the ferries leave?', 24_000);
  const pcm = Buffer.from(speech.buffer, speech.byteOffset, speech.byteLength);
  const from = events.length;
  realtime.send({ type: 'input_audio_buffer.append', audio: pcm.toString('base64') });
  realtime.send({ type: 'input_audio_buffer.commit' });
  realtime.send({ type: 'response.create' });
  const heard = await event('conversation.item.input_audio_transcription.completed', from);
  expect(heard.transcript).toBe('When do the ferries leave?');
  expect((await event('response.done', from)).response.status).toBe('completed');
  expect([errors, server.problems]).toEqual([[], []]);
  realtime.close();
});

test('its violations of the protocol are rejected as errors', async () => {
  const { realtime, errors, event } = await connected();
  realtime.send({ type: 'input_audio_buffer.commit' });
  const { error } = await event('error');
  expect(error.code).toBe('input_audio_buffer_commit_empty');
  expect(errors).toHaveLength(1);
  expect(server.problems.splice(0)).toHaveLength(1);
  realtime.close();
});
