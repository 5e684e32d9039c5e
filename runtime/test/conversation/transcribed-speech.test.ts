import { afterEach, describe, expect, test } from 'vitest';
import { TurnDetector } from '../../src/hearing/turn-detector.ts';
import { openVoiceActivity } from '../../src/hearing/voice-activity.ts';
import { openFlite } from '../../src/speech/flite/flite.ts';
import type { TestConversation } from '../harness/conversation.ts';
import { scriptedHearing } from '../harness/engines.ts';
import { settled } from '../harness/fake-clock.ts';
import { closeConversations, openConversation as open } from '../harness/open-conversations.ts';
import { harbor } from '../mind/harbor.ts';

afterEach(closeConversations);

function frame(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(8 + samples.byteLength);
  bytes[0] = 2;
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), 8);
  return bytes;
}

/** Sends `ms` milliseconds of microphone audio in frames of 40 ms, in real time by the fake clock. */
async function speak({ conversation, clock }: TestConversation, ms: number, loudness = 5000): Promise<void> {
  for (let passed = 0; passed < ms; passed += 40) {
    conversation.receiveAudio(frame(new Int16Array(640).fill(loudness)));
    await clock.pass(40);
  }
}
const silence = (session: TestConversation, ms: number) => speak(session, ms, 0);

describe('automatic turn detection', () => {
  test('starts a turn with speech, ends it after half a second of silence, and answers', async () => {
    const hearing = scriptedHearing(['When do the ferries leave?']);
    const session = open({ mind: harbor }, { hearing });
    await session.play(3000);
    await silence(session, 1000);
    await speak(session, 1000);
    await silence(session, 400);
    expect(hearing.heard).toEqual([]);
    await silence(session, 200);
    expect(hearing.heard.length).toBe(1);
    expect(hearing.heard[0]).toBeGreaterThan(1400);
    expect(hearing.heard[0]).toBeLessThan(2000);
    await session.play(3000);
    const messages = session.connection.of('message').filter(({ status }) => status === 'final');
    expect(messages.slice(1).map(({ role, text }) => [role, text])).toEqual([
      ['user', 'When do the ferries leave?'],
      ['character', 'At every full hour.'],
    ]);
    expect(session.connection.of('metrics').at(-1)).toHaveProperty('hearingMs');
    expect(session.connection.of('ready')[0]!.engines.hearing).toEqual({ kind: 'server', name: 'told' });
  });

  test.each([
    ['stops sending', async (session: TestConversation) => session.clock.pass(2100)],
    ['is muted', async (session: TestConversation) => session.receive({ type: 'audio.end' })],
  ])('ends the turn when the microphone %s during it', async (_, falls) => {
    const hearing = scriptedHearing(['When do the ferries leave?']);
    const session = open({ mind: harbor }, { hearing });
    await session.play(3000);
    await speak(session, 1000);
    expect(hearing.heard).toEqual([]);
    await falls(session);
    expect(hearing.heard.length).toBe(1);
    await session.play(3000);
    expect(session.connection.of('message').at(-1)).toMatchObject({
      role: 'character',
      text: 'At every full hour.',
    });
  });

  test('transcribes without a fixed language in a session with two languages', async () => {
    const locales: (string | undefined)[] = [];
    const hearing = {
      name: 'asked',
      transcribe: async (_: unknown, locale: string | undefined) => String(locales.push(locale)),
    };
    for (const secondaryLocale of [undefined, 'es-ES']) {
      const session = open({ mind: harbor, ...(secondaryLocale && { secondaryLocale }) }, { hearing });
      await speak(session, 1000);
      await silence(session, 600);
    }
    expect(locales).toEqual(['en', undefined]);
  });

  test('ignores a click', async () => {
    const hearing = scriptedHearing([]);
    const session = open({ mind: harbor }, { hearing });
    await speak(session, 120);
    await silence(session, 2000);
    expect(hearing.heard).toEqual([]);
  });

  const greeting = 'Good morning, my dear friend, and welcome to the harbor. Please come in and look around.';

  test('pauses the character after 160 ms of speech, and interrupts it once words are recognised', async () => {
    const session = open(
      { mind: { ...harbor, greeting: { en: greeting } } },
      { hearing: scriptedHearing(['ferry']) },
    );
    await session.play(1000);
    await speak(session, 120);
    expect(session.connection.of('interrupted')).toEqual([]);
    await speak(session, 80);
    expect(session.connection.of('interrupted').length).toBe(1);
    const frames = session.connection.audio.length;
    await silence(session, 600);
    await settled();
    const cut = session.connection.of('message').find(({ interrupted }) => interrupted);
    expect(cut!.heard).toMatch(/^Good/);
    expect(greeting.startsWith(cut!.heard!)).toBe(true);
    expect(session.connection.audio.slice(frames).every(({ utterance }) => utterance > 2)).toBe(true);
    await session.play(3000);
    expect(session.connection.of('message').at(-1)!.text).toBe('At every full hour.');
  });

  test('resumes the interrupted piece if no words are recognised', async () => {
    const session = open({ mind: { greeting: { en: greeting } } }, { hearing: scriptedHearing(['']) });
    await session.play(1000);
    await speak(session, 400);
    expect(session.connection.of('interrupted').length).toBe(1);
    await silence(session, 600);
    await session.play(12_000);
    const texts = session.connection.of('utterance').map(({ text }) => text);
    expect(texts.filter((text) => text === texts[0]).length).toBe(2);
    const last = session.connection.of('message').at(-1)!;
    expect(last).toMatchObject({ status: 'final', text: greeting });
    expect(last).not.toHaveProperty('interrupted');
  });

  test('resumes the character after two seconds without audio', async () => {
    const session = open({ mind: { greeting: { en: greeting } } }, { hearing: scriptedHearing([]) });
    await session.play(1000);
    session.conversation.receive({ type: 'audio.start' });
    await settled();
    expect(session.connection.of('interrupted').length).toBe(1);
    session.conversation.receive({ type: 'audio.end' });
    await session.play(2500);
    expect(session.connection.of('utterance').length).toBeGreaterThan(1);
  });
});

test('manual mode treats the audio between start and end as one turn, including silence', async () => {
  const hearing = scriptedHearing(['ferry']);
  const session = open({ mind: harbor, speechInputMode: 'manual' }, { hearing });
  await session.play(3000);
  await speak(session, 2000);
  expect(hearing.heard).toEqual([]);
  await session.receive({ type: 'audio.start' });
  await speak(session, 480);
  await silence(session, 1520);
  expect(hearing.heard).toEqual([]);
  await session.receive({ type: 'audio.end' });
  expect(hearing.heard).toEqual([2000]);
  await session.play(3000);
  expect(session.connection.of('message').at(-1)!.text).toBe('At every full hour.');
});

test('pressing the button again without releasing it continues the turn, which ends after two minutes', async () => {
  const hearing = scriptedHearing(['ferry']);
  const session = open({ mind: harbor, speechInputMode: 'manual' }, { hearing });
  await session.play(3000);
  for (let presses = 0; presses < 3; presses++) {
    await session.receive({ type: 'audio.start' });
    await speak(session, 50_000);
  }
  expect(hearing.heard).toEqual([120_040]);
});

test('a failed transcription loses one turn; the next one works', async () => {
  const session = open(
    { mind: harbor, speechInputMode: 'manual' },
    { hearing: scriptedHearing([new Error('deaf'), 'ferry']) },
  );
  await session.play(3000);
  for (const answer of [/lost my thread/, /full hour/]) {
    await session.receive({ type: 'audio.start' });
    await speak(session, 500);
    await session.receive({ type: 'audio.end' });
    await session.play(5000);
    expect(session.connection.of('message').at(-1)!.text).toMatch(answer);
  }
  expect(session.connection.of('error')).toMatchObject([{ code: 'HEARING_FAILED', fatal: false }]);
});

/** Sends one push-to-talk turn between `audio.start` and `audio.end`. */
async function press(session: TestConversation, ms: number, loudness = 5000): Promise<void> {
  await session.receive({ type: 'audio.start' });
  await speak(session, ms, loudness);
  await session.receive({ type: 'audio.end' });
}

test('one transcription runs at a time; turns that end while it runs are joined for the next one', async () => {
  const answers: ((text: string) => void)[] = [];
  const heard: number[] = [];
  const hearing = {
    name: 'slow',
    transcribe: ({ samples }: { samples: Int16Array }) => {
      heard.push(samples.length / 16);
      return new Promise<string>((resolve) => answers.push(resolve));
    },
  };
  const session = open({ mind: harbor, speechInputMode: 'manual' }, { hearing });
  await session.play(3000);
  for (const ms of [200, 400, 800]) await press(session, ms);
  expect(heard).toEqual([200]);
  answers[0]!('ferry');
  await settled();
  expect(heard).toEqual([200, 1200]);
  answers[1]!('tide');
  await session.play(3000);
  const said = session.connection.of('message').filter(({ role }) => role === 'user');
  expect(said.map(({ text }) => text)).toEqual(['ferry', 'tide']);
});

test('transcribed turns count as texts: the eleventh in ten seconds closes with 4429', async () => {
  const hearing = scriptedHearing(Array(12).fill('ferry'));
  const session = open({ mind: harbor, speechInputMode: 'manual' }, { hearing });
  for (let i = 0; i < 10; i++) await press(session, 120);
  expect(session.connection.closed).toBeUndefined();
  await press(session, 120);
  expect(session.connection.closed).toEqual({ code: 4429, reason: 'TOO_FAST' });
  expect(session.connection.of('message').filter(({ role }) => role === 'user').length).toBe(10);
});

test('speech counts as activity while it lasts; silence in a recording does not', async () => {
  const limits = { maxSeconds: 900, idleSeconds: 10 };
  const speechInputMode = 'manual';
  const speaking = open({ mind: harbor, speechInputMode, limits }, { hearing: scriptedHearing(['ferry']) });
  const silent = open({ mind: harbor, speechInputMode, limits }, { hearing: scriptedHearing(['', '']) });
  for (const session of [speaking, silent]) await session.play(3000);
  await press(speaking, 15_000);
  await speaking.play(3000);
  expect(speaking.ended).toEqual([]);
  for (let i = 0; i < 2; i++) await press(silent, 6000, 0);
  expect(silent.ended).toMatchObject([{ reason: 'idle_timeout' }]);
});

test('invalid audio frames are rejected, and the session continues', async () => {
  const { conversation, connection } = open({ mind: harbor }, { hearing: scriptedHearing([]) });
  conversation.receiveAudio(new Uint8Array(3));
  conversation.receiveAudio(new Uint8Array(11));
  conversation.receiveAudio(frame(new Int16Array(640)).fill(1, 0, 1));
  expect(connection.of('error').map(({ code }) => code)).toEqual([
    'INVALID_MESSAGE',
    'INVALID_MESSAGE',
    'INVALID_MESSAGE',
  ]);
});

test('a recorded voice is detected in silence and in noise', async () => {
  const flite = await openFlite(1);
  const detector = (await openVoiceActivity())();
  const turns: number[] = [];
  let began = 0;
  const finder = new TurnDetector(detector, {
    began: () => began++,
    bargedIn: () => {},
    ended: (samples) => turns.push(samples.length / 16),
  });
  const { audio, durationMs } = await flite.speak(
    {
      text: 'When do the ferries leave?',
      locale: 'en',
      voice: { characterId: 'a', settings: {}, pace: 1 },
      session: {},
    },
    new AbortController().signal,
  );
  const hiss = (ms: number) => Int16Array.from({ length: ms * 16 }, (_, i) => ((i * 7919) % 61) - 30);
  finder.push(hiss(2000));
  expect(began).toBe(0);
  for (let at = 0; at < audio.length; at += 640) finder.push(audio.subarray(at, at + 640));
  finder.push(hiss(1000));
  expect(began).toBe(1);
  expect(turns.length).toBe(1);
  expect(turns[0]).toBeGreaterThan(durationMs * 0.8);
  finder.close();
  await flite.close();
});
