import { afterEach, describe, expect, test } from 'vitest';
import { Turns } from '../../src/hearing/turn-detector.ts';
import { openVoiceActivity } from '../../src/hearing/voice-activity.ts';
import { openFlite } from '../../src/speech/flite/flite.ts';
import type { Stage } from '../harness/conversation.ts';
import { toldHearing } from '../harness/engines.ts';
import { settled } from '../harness/fake-clock.ts';
import { closeStages, openStage as open } from '../harness/open-conversations.ts';
import { harbor } from '../mind/harbor.ts';

afterEach(closeStages);

function frame(samples: Int16Array): Uint8Array {
  const bytes = new Uint8Array(8 + samples.byteLength);
  bytes[0] = 2;
  bytes.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), 8);
  return bytes;
}

/** Sends `ms` milliseconds of microphone audio in frames of 40 ms, in real time by the fake clock. */
async function speak({ conversation, clock }: Stage, ms: number, loudness = 5000): Promise<void> {
  for (let passed = 0; passed < ms; passed += 40) {
    conversation.receiveAudio(frame(new Int16Array(640).fill(loudness)));
    await clock.pass(40);
  }
}
const silence = (stage: Stage, ms: number) => speak(stage, ms, 0);

describe('auto', () => {
  test('a turn begins with speech, ends with half a second of silence, and is answered', async () => {
    const hearing = toldHearing(['When do the ferries leave?']);
    const stage = open({ mind: harbor }, { hearing });
    await stage.play(3000);
    await silence(stage, 1000);
    await speak(stage, 1000);
    await silence(stage, 400);
    expect(hearing.heard).toEqual([]);
    await silence(stage, 200);
    expect(hearing.heard.length).toBe(1);
    expect(hearing.heard[0]).toBeGreaterThan(1400);
    expect(hearing.heard[0]).toBeLessThan(2000);
    await stage.play(3000);
    const messages = stage.line.of('message').filter(({ status }) => status === 'final');
    expect(messages.slice(1).map(({ role, text }) => [role, text])).toEqual([
      ['user', 'When do the ferries leave?'],
      ['character', 'At every full hour.'],
    ]);
    expect(stage.line.of('metrics').at(-1)).toHaveProperty('hearingMs');
    expect(stage.line.of('ready')[0]!.engines.hearing).toEqual({ kind: 'server', name: 'told' });
  });

  test.each([
    ['goes silent without a word', async (stage: Stage) => stage.clock.pass(2100)],
    ['says that it is muted', async (stage: Stage) => stage.receive({ type: 'audio.end' })],
  ])('a microphone that %s in the middle of one ends the turn', async (_, falls) => {
    const hearing = toldHearing(['When do the ferries leave?']);
    const stage = open({ mind: harbor }, { hearing });
    await stage.play(3000);
    await speak(stage, 1000);
    expect(hearing.heard).toEqual([]);
    await falls(stage);
    expect(hearing.heard.length).toBe(1);
    await stage.play(3000);
    expect(stage.line.of('message').at(-1)).toMatchObject({ role: 'character', text: 'At every full hour.' });
  });

  test('whoever speaks two languages is not listened to in one of them', async () => {
    const locales: (string | undefined)[] = [];
    const hearing = {
      name: 'asked',
      transcribe: async (_: unknown, locale: string | undefined) => String(locales.push(locale)),
    };
    for (const secondaryLocale of [undefined, 'es-ES']) {
      const stage = open({ mind: harbor, ...(secondaryLocale && { secondaryLocale }) }, { hearing });
      await speak(stage, 1000);
      await silence(stage, 600);
    }
    expect(locales).toEqual(['en', undefined]);
  });

  test('a click is no turn', async () => {
    const hearing = toldHearing([]);
    const stage = open({ mind: harbor }, { hearing });
    await speak(stage, 120);
    await silence(stage, 2000);
    expect(hearing.heard).toEqual([]);
  });

  const greeting = 'Good morning, my dear friend, and welcome to the harbor. Please come in and look around.';

  test('300 ms of speech silence the character; words interrupt it for good', async () => {
    const stage = open(
      { mind: { ...harbor, greeting: { en: greeting } } },
      { hearing: toldHearing(['ferry']) },
    );
    await stage.play(1000);
    await speak(stage, 240);
    expect(stage.line.of('interrupted')).toEqual([]);
    await speak(stage, 160);
    expect(stage.line.of('interrupted').length).toBe(1);
    const frames = stage.line.audio.length;
    await silence(stage, 600);
    await settled();
    const cut = stage.line.of('message').find(({ interrupted }) => interrupted);
    expect(cut!.heard).toMatch(/^Good/);
    expect(greeting.startsWith(cut!.heard!)).toBe(true);
    expect(stage.line.audio.slice(frames).every(({ utterance }) => utterance > 2)).toBe(true);
    await stage.play(3000);
    expect(stage.line.of('message').at(-1)!.text).toBe('At every full hour.');
  });

  test('without words the character goes on with the piece that was cut', async () => {
    const stage = open({ mind: { greeting: { en: greeting } } }, { hearing: toldHearing(['']) });
    await stage.play(1000);
    await speak(stage, 400);
    expect(stage.line.of('interrupted').length).toBe(1);
    await silence(stage, 600);
    await stage.play(12_000);
    const texts = stage.line.of('utterance').map(({ text }) => text);
    expect(texts.filter((text) => text === texts[0]).length).toBe(2);
    const last = stage.line.of('message').at(-1)!;
    expect(last).toMatchObject({ status: 'final', text: greeting });
    expect(last).not.toHaveProperty('interrupted');
  });

  test('sound that stops coming is taken back after two seconds', async () => {
    const stage = open({ mind: { greeting: { en: greeting } } }, { hearing: toldHearing([]) });
    await stage.play(1000);
    stage.conversation.receive({ type: 'audio.start' });
    await settled();
    expect(stage.line.of('interrupted').length).toBe(1);
    stage.conversation.receive({ type: 'audio.end' });
    await stage.play(2500);
    expect(stage.line.of('utterance').length).toBeGreaterThan(1);
  });
});

test('manual: what stands between start and end is one turn, silence or not', async () => {
  const hearing = toldHearing(['ferry']);
  const stage = open({ mind: harbor, speechInputMode: 'manual' }, { hearing });
  await stage.play(3000);
  await speak(stage, 2000);
  expect(hearing.heard).toEqual([]);
  await stage.receive({ type: 'audio.start' });
  await speak(stage, 480);
  await silence(stage, 1520);
  expect(hearing.heard).toEqual([]);
  await stage.receive({ type: 'audio.end' });
  expect(hearing.heard).toEqual([2000]);
  await stage.play(3000);
  expect(stage.line.of('message').at(-1)!.text).toBe('At every full hour.');
});

test('hearing that fails costs one sentence', async () => {
  const stage = open(
    { mind: harbor, speechInputMode: 'manual' },
    { hearing: toldHearing([new Error('deaf'), 'ferry']) },
  );
  await stage.play(3000);
  for (const answer of [/lost my thread/, /full hour/]) {
    await stage.receive({ type: 'audio.start' });
    await speak(stage, 500);
    await stage.receive({ type: 'audio.end' });
    await stage.play(5000);
    expect(stage.line.of('message').at(-1)!.text).toMatch(answer);
  }
  expect(stage.line.of('error')).toMatchObject([{ code: 'HEARING_FAILED', fatal: false }]);
});

/** Sends one push-to-talk turn between `audio.start` and `audio.end`. */
async function press(stage: Stage, ms: number, loudness = 5000): Promise<void> {
  await stage.receive({ type: 'audio.start' });
  await speak(stage, ms, loudness);
  await stage.receive({ type: 'audio.end' });
}

test('one transcription runs at a time; turns that end meanwhile are joined for the next one', async () => {
  const answers: ((text: string) => void)[] = [];
  const heard: number[] = [];
  const hearing = {
    name: 'slow',
    transcribe: ({ samples }: { samples: Int16Array }) => {
      heard.push(samples.length / 16);
      return new Promise<string>((resolve) => answers.push(resolve));
    },
  };
  const stage = open({ mind: harbor, speechInputMode: 'manual' }, { hearing });
  await stage.play(3000);
  for (const ms of [200, 400, 800]) await press(stage, ms);
  expect(heard).toEqual([200]);
  answers[0]!('ferry');
  await settled();
  expect(heard).toEqual([200, 1200]);
  answers[1]!('tide');
  await stage.play(3000);
  const said = stage.line.of('message').filter(({ role }) => role === 'user');
  expect(said.map(({ text }) => text)).toEqual(['ferry', 'tide']);
});

test('words that were heard count as texts: the eleventh in ten seconds closes with 4429', async () => {
  const hearing = toldHearing(Array(12).fill('ferry'));
  const stage = open({ mind: harbor, speechInputMode: 'manual' }, { hearing });
  for (let i = 0; i < 10; i++) await press(stage, 120);
  expect(stage.line.closed).toBeUndefined();
  await press(stage, 120);
  expect(stage.line.closed).toEqual({ code: 4429, reason: 'TOO_FAST' });
  expect(stage.line.of('message').filter(({ role }) => role === 'user').length).toBe(10);
});

test('speech is activity for as long as it lasts, silence in a recording is none', async () => {
  const limits = { maxSeconds: 900, idleSeconds: 10 };
  const speechInputMode = 'manual';
  const speaking = open({ mind: harbor, speechInputMode, limits }, { hearing: toldHearing(['ferry']) });
  const silent = open({ mind: harbor, speechInputMode, limits }, { hearing: toldHearing(['', '']) });
  for (const stage of [speaking, silent]) await stage.play(3000);
  await press(speaking, 15_000);
  await speaking.play(3000);
  expect(speaking.ended).toEqual([]);
  for (let i = 0; i < 2; i++) await press(silent, 6000, 0);
  expect(silent.ended).toMatchObject([{ reason: 'idle_timeout' }]);
});

test('frames that are none are refused, and the session goes on', async () => {
  const { conversation, line } = open({ mind: harbor }, { hearing: toldHearing([]) });
  conversation.receiveAudio(new Uint8Array(3));
  conversation.receiveAudio(new Uint8Array(11));
  conversation.receiveAudio(frame(new Int16Array(640)).fill(1, 0, 1));
  expect(line.of('error').map(({ code }) => code)).toEqual([
    'INVALID_MESSAGE',
    'INVALID_MESSAGE',
    'INVALID_MESSAGE',
  ]);
});

test('a real voice is found in silence and noise', async () => {
  const flite = await openFlite(1);
  const detector = (await openVoiceActivity())();
  const turns: number[] = [];
  let began = 0;
  const finder = new Turns(detector, {
    began: () => began++,
    persisted: () => {},
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
  finder.hear(hiss(2000));
  expect(began).toBe(0);
  for (let at = 0; at < audio.length; at += 640) finder.hear(audio.subarray(at, at + 640));
  finder.hear(hiss(1000));
  expect(began).toBe(1);
  expect(turns.length).toBe(1);
  expect(turns[0]).toBeGreaterThan(durationMs * 0.8);
  finder.close();
  await flite.close();
});
