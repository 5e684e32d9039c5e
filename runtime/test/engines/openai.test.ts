import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineError, reasonOf } from '../../src/endpoint.ts';
import { openaiHearing } from '../../src/hearing/openai.ts';
import type { Dialogue, Said, Setting } from '../../src/mind/mind.ts';
import { modelMind } from '../../src/mind/model/model.ts';
import { openaiSpeech } from '../../src/speech/openai.ts';
import { startWorld } from '../harness/world.ts';
import { type OpenAiServer, startOpenAiServer } from './openai-server.ts';

let server: OpenAiServer;
beforeEach(async () => {
  server = await startOpenAiServer();
});
afterEach(() => server.close());

const never = new AbortController().signal;
const endpoint = () => ({ url: server.url, apiKey: 'secret-key' });
const setting: Setting = {
  mind: { persona: 'You are Maren, who knows every boat.' },
  mode: 'conversation',
  locale: 'en',
  characters: [{ characterId: 'maren', name: 'Maren', voice: {} }],
  title: 'Harbor',
  revision: 'exp_harbor 1',
};

function dialogue(more: Partial<Setting> = {}): Dialogue {
  return modelMind({ endpoint: endpoint(), model: 'tiny' }).begin({ ...setting, ...more });
}

async function said(pieces: AsyncIterable<Said>): Promise<Said[]> {
  const all: Said[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

describe('a mind', () => {
  test('streams sentence by sentence; the request has only model, messages and stream', async () => {
    const pieces = await said(dialogue().answer('Hello!', never));
    expect(pieces.map(({ text }) => text)).toEqual(['Good morning.', 'How are you?']);
    const [{ path, body, authorization }] = server.requests as [OpenAiServer['requests'][number]];
    expect(path).toBe('/v1/chat/completions');
    expect(authorization).toBe('Bearer secret-key');
    expect(Object.keys(body).sort()).toEqual(['messages', 'model', 'stream']);
    expect(body.messages[0].content).toMatch(/^You are Maren, who knows every boat\.[\s\S]*honestly/);
    expect(body.messages.at(-1)).toEqual({ role: 'user', content: 'Hello!' });
  });

  test('remembers only the text that was played', async () => {
    const maren = dialogue();
    await said(maren.answer('Hello!', never));
    maren.remember('Good morning. How are you?', 'Good morning.');
    await said(maren.answer('What?', never));
    expect(server.requests[1]!.body.messages.slice(1)).toEqual([
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: 'Good morning.…' },
      { role: 'user', content: 'What?' },
    ]);
  });

  test('the first sentence is returned before the last one is generated', async () => {
    server.next.push({ kind: 'slow', pieceMs: 30 });
    const pieces = dialogue().answer('Hello!', never)[Symbol.asyncIterator]();
    expect((await pieces.next()).value.text).toBe('Good morning.');
    expect(server.aborted).toBe(0);
    await pieces.return?.();
    await expect.poll(() => server.aborted).toBe(1);
  });

  test('an interruption aborts the request', async () => {
    server.next.push({ kind: 'silent' });
    const stop = new AbortController();
    const answer = said(dialogue().answer('Hello!', stop.signal));
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort(new Error('interrupted'));
    await expect(answer).rejects.toThrow('interrupted');
    await expect.poll(() => server.aborted).toBe(1);
  });

  test.each([
    ['a truncated stream', { kind: 'cut', after: 3 } as const, /terminated|cut|closed|aborted/],
    ['an invalid response', { kind: 'wrong' } as const, /JSON|string|cut/],
    ['a wrong key', { kind: 'status', status: 401 } as const, /401: the key/],
    ['an unknown model', { kind: 'status', status: 404 } as const, /404: check the address/],
    [
      'a 429 with a long Retry-After',
      { kind: 'status', status: 429, retryAfter: '60' } as const,
      /429: too many/,
    ],
  ])('%s is an error', async (_what, behaviour, message) => {
    server.next.push(behaviour);
    await expect(said(dialogue().answer('Hello!', never))).rejects.toThrow(message);
    expect(await said(dialogue().answer('Hello!', never))).toHaveLength(2);
  });

  test.each(['well', 'whole'] as const)('an answer without words is an error (%s)', async (kind) => {
    server.next.push({ kind }, { kind });
    for (const text of ['', ' \n']) {
      server.text = text;
      await expect(said(dialogue().answer('Hello!', never))).rejects.toThrow(
        'the answer of the model is empty',
      );
    }
  });

  test('a 429 is retried once after its Retry-After', async () => {
    server.next.push({ kind: 'status', status: 429, retryAfter: '0' });
    expect(await said(dialogue().answer('Hello!', never))).toHaveLength(2);
    expect(server.requests.length).toBe(2);
  });

  test('a server without streaming is supported', async () => {
    server.next.push({ kind: 'whole' });
    expect((await said(dialogue().answer('Hello!', never))).map(({ text }) => text)).toEqual([
      'Good morning.',
      'How are you?',
    ]);
  });

  test('text in the second language has its locale, and each speaker’s lines are assigned to that speaker', async () => {
    server.text = 'Say this: [[Bom dia.]] Wren: And again.';
    const characters: Setting['characters'] = [
      { characterId: 'maren', name: 'Maren', voice: {} },
      { characterId: 'wren', name: 'Wren', voice: {} },
    ];
    const pieces = await said(dialogue({ secondaryLocale: 'pt-PT', characters }).answer('Teach me', never));
    expect(pieces).toEqual([
      { text: 'Say this:', locale: 'en', characterId: 'maren' },
      { text: 'Bom dia.', locale: 'pt-PT', characterId: 'maren' },
      { text: 'And again.', locale: 'en', characterId: 'wren' },
    ]);
  });

  test('a configured greeting is not requested from the model', async () => {
    const greeting = { en: 'Ahoy there!' };
    expect(await said(dialogue({ mind: { greeting } }).open(never))).toMatchObject([{ text: 'Ahoy there!' }]);
    expect(server.requests).toEqual([]);
    await said(dialogue().open(never));
    expect(server.requests.length).toBe(1);
  });
});

describe('speech', () => {
  const sentence = (settings = {}) => ({
    text: 'Bom dia, meu amigo.',
    locale: 'pt-PT',
    voice: { characterId: 'a', settings, pace: 1 },
    session: {},
  });
  const speech = () => openaiSpeech({ endpoint: endpoint(), model: 'kokoro', voice: 'nova' });

  test('is resampled to the announced rate; mouth cues are closed during silence', async () => {
    const { audio, durationMs, cues, words, source } = await speech().speak(sentence(), never);
    expect(speech().sampleRate).toBe(24_000);
    expect(durationMs).toBe(Math.round(audio.length / 24));
    expect(source).toBe('text');
    expect(cues[0]).toEqual([0, 'sil']);
    expect(cues[1]![0]).toBeGreaterThanOrEqual(95);
    expect(cues[1]![0]).toBeLessThan(125);
    expect(cues.at(-1)![1]).toBe('sil');
    expect(cues.at(-1)![0]).toBeLessThanOrEqual(durationMs - 90);
    expect(words.length).toBe(4);
    expect(server.requests[0]!.body).toEqual({
      model: 'kokoro',
      input: 'Bom dia, meu amigo.',
      voice: 'nova',
      response_format: 'wav',
    });
  });

  test('uses the voice configured for a character', async () => {
    await speech().speak(sentence({ openai: { voice: 'fable' } }), never);
    expect(server.requests[0]!.body.voice).toBe('fable');
  });

  test.each([
    ['an empty response', { kind: 'wrong' } as const, 'not a WAV file'],
    ['truncated audio', { kind: 'cut', after: 0 } as const, 'terminated'],
    ['a wrong key', { kind: 'status', status: 401 } as const, '401: the key'],
    ['a 429 with a long Retry-After', { kind: 'status', status: 429, retryAfter: '60' } as const, '429'],
  ])('%s is an error', async (_what, behaviour, message) => {
    server.next.push(behaviour);
    await expect(speech().speak(sentence(), never)).rejects.toThrow(message);
    expect((await speech().speak(sentence(), never)).durationMs).toBeGreaterThan(500);
  });

  test('an engine that is slow is awaited, and one that is busy is retried', async () => {
    server.next.push({ kind: 'status', status: 429, retryAfter: '0' }, { kind: 'slow', pieceMs: 50 });
    expect((await speech().speak(sentence(), never)).durationMs).toBeGreaterThan(500);
    expect(server.requests).toHaveLength(2);
  });

  test('a request to an engine that does not respond is aborted with the caller’s signal', async () => {
    const left = new AbortController();
    server.next.push({ kind: 'silent' });
    const spoken = speech().speak(sentence(), left.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    left.abort(new Error('left'));
    await expect(spoken).rejects.toThrow('left');
    await expect.poll(() => server.aborted).toBe(1);
  });
});

describe('hearing', () => {
  const sound = { sampleRate: 16_000, samples: new Int16Array(8000) };
  const hearing = () => openaiHearing({ endpoint: endpoint(), model: 'whisper' });

  test('sends the turn as a WAV file, with model and language', async () => {
    server.text = 'When do the ferries leave?';
    expect(await hearing().transcribe(sound, 'en-GB', never)).toBe('When do the ferries leave?');
    const { path, body } = server.requests[0]!;
    expect(path).toBe('/v1/audio/transcriptions');
    expect(body).toMatch(/name="model"\r\n\r\nwhisper/);
    expect(body).toMatch(/name="language"\r\n\r\nen\r\n/);
    expect(body).toMatch(/name="file"; filename="turn.wav"\r\nContent-Type: audio\/wav\r\n\r\nRIFF/);
  });

  test.each([
    ['a response without text', { kind: 'wrong' } as const, 'no text'],
    ['a truncated response', { kind: 'cut', after: 0 } as const, 'terminated'],
    ['a wrong key', { kind: 'status', status: 401 } as const, '401: the key'],
    ['a 429 with a long Retry-After', { kind: 'status', status: 429, retryAfter: '60' } as const, '429'],
  ])('%s is an error', async (_what, behaviour, message) => {
    server.next.push(behaviour);
    await expect(hearing().transcribe(sound, 'en', never)).rejects.toThrow(message);
    expect(await hearing().transcribe(sound, 'en', never)).toBe(server.text);
  });

  test('an engine that is slow is awaited, and one that is busy is retried', async () => {
    server.next.push({ kind: 'status', status: 503, retryAfter: '0' }, { kind: 'slow', pieceMs: 50 });
    expect(await hearing().transcribe(sound, 'en', never)).toBe(server.text);
    expect(server.requests).toHaveLength(2);
  });
});

test('all three engines together transcribe, answer and speak a turn', async () => {
  const world = await startWorld({
    engines: {
      mind: modelMind({ endpoint: endpoint(), model: 'tiny' }),
      speech: openaiSpeech({ endpoint: endpoint(), model: 'kokoro' }),
      hearing: openaiHearing({ endpoint: endpoint(), model: 'whisper' }),
    },
  });
  const client = await world.join({ speechInputMode: 'manual', mind: { greeting: { en: 'Hello.' } } });
  expect((await client.event('ready')).engines).toEqual({
    mind: { kind: 'model', name: 'tiny' },
    speech: { kind: 'server', name: 'kokoro' },
    hearing: { kind: 'server', name: 'whisper' },
  });
  await client.event('mode', ({ mode }) => mode === 'listening');
  client.send({ type: 'audio.start' });
  const frame = Buffer.alloc(8 + 1280, 1);
  frame.writeUInt8(2, 0);
  for (let i = 0; i < 10; i++) client.ws.send(frame);
  client.send({ type: 'audio.end' });
  const mine = await client.event('message', ({ role }) => role === 'user');
  expect(mine.text).toBe('Good morning. How are you?');
  const answer = await client.event(
    'message',
    ({ role, status, seq }) => role === 'character' && status === 'final' && seq > mine.seq,
  );
  expect(answer.text).toBe('Good morning. How are you?');
  const metrics = await client.event('metrics', ({ turn }) => turn === 2);
  expect(metrics.hearingMs).toBeGreaterThanOrEqual(0);
  await world.close();
});

test('a model that answers without words makes the character apologise', async () => {
  server.text = '';
  const world = await startWorld({ engines: { mind: modelMind({ endpoint: endpoint(), model: 'tiny' }) } });
  const client = await world.join({ mind: { greeting: { en: 'Hello.' } } });
  await client.event('mode', ({ mode }) => mode === 'listening');
  client.send({ type: 'text', id: 'q1', text: 'Hello?' });
  expect((await client.event('error')).code).toBe('MIND_FAILED');
  const mine = await client.event('message', ({ id }) => id === 'q1');
  const answer = await client.event('message', ({ role, seq }) => role === 'character' && seq > mine.seq);
  expect(answer.text).not.toBe('');
  await world.close();
});

test('the logged reason of an engine failure contains no quoted text', () => {
  expect(reasonOf(new SyntaxError('Unexpected token in "my planted words"'))).toBe('SyntaxError');
  expect(reasonOf(new EngineError(200, 'the model stopped early', 'I will not say "my planted words"'))).toBe(
    'the model stopped early',
  );
});
