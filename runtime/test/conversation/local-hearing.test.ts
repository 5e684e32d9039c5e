import { afterEach, describe, expect, test } from 'vitest';
import { isPartOf } from '../../src/conversation/echo.ts';
import { isUnfinished } from '../../src/conversation/unfinished.ts';
import type { Hearing, HearingSession } from '../../src/hearing/hearing.ts';
import type { TestConversation } from '../harness/conversation.ts';
import { settled } from '../harness/fake-clock.ts';
import { closeConversations, openConversation as open } from '../harness/open-conversations.ts';
import { harbor } from '../mind/harbor.ts';

afterEach(closeConversations);

/** Sends `ms` milliseconds of microphone audio in real time by the fake clock. */
async function speak({ conversation, clock }: TestConversation, ms: number, loudness = 5000): Promise<void> {
  for (let passed = 0; passed < ms; passed += 40) {
    const bytes = new Uint8Array(8 + 1280);
    bytes[0] = 2;
    bytes.set(new Uint8Array(new Int16Array(640).fill(loudness).buffer), 8);
    conversation.receiveAudio(bytes);
    await clock.pass(40);
  }
}
const silence = (session: TestConversation, ms: number) => speak(session, ms, 0);

interface Call {
  ms: number;
  signal: AbortSignal;
  session: HearingSession | undefined;
  answer(text: string): void;
  fail(): void;
}

/** An engine on this machine whose answers the test gives. */
function localEngine(more: Partial<Hearing> = {}): Hearing & { calls: Call[] } {
  const calls: Call[] = [];
  return {
    name: 'local',
    isLocal: true,
    hears: (locale) => locale.startsWith('en'),
    transcribe: ({ samples }, _locale, signal, session) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        const fail = () => reject(new Error('ended'));
        calls.push({ ms: samples.length / 16, signal, session, answer: resolve, fail });
      }),
    calls,
    ...more,
  };
}

const said = ({ connection }: TestConversation) =>
  connection.of('message').filter(({ role }) => role === 'user');
const hearingOf = (session: TestConversation) => session.connection.of('ready')[0]!.engines.hearing;
const recognises = (...recognition: string[]) => ({ speech: { synthesis: [], recognition } });

describe('the language of a session', () => {
  test.each([
    ['en-GB', undefined, ['en-GB'], 'server'],
    ['de', undefined, ['de'], 'client'],
    ['de', undefined, [], 'none'],
    ['en', 'en-GB', ['en'], 'server'],
    ['en', 'es', ['en', 'es'], 'client'],
    ['en', 'es', [], 'server'],
    ['es', 'en', [], 'none'],
  ])('%s and %s, of which the page recognises %j, is heard by %s', (locale, secondaryLocale, page, kind) => {
    const languages = { locale, ...(secondaryLocale && { secondaryLocale }) };
    const session = open(
      { mind: harbor, ...languages },
      { hearing: localEngine(), hello: recognises(...page) },
    );
    expect(hearingOf(session).kind).toBe(kind);
  });

  test('an engine that stops working is replaced by the page in the next sessions', () => {
    let works = true;
    const hearing = localEngine({ hears: () => works });
    expect(hearingOf(open({ mind: harbor }, { hearing, hello: recognises('en') })).kind).toBe('server');
    works = false;
    expect(hearingOf(open({ mind: harbor }, { hearing, hello: recognises('en') })).kind).toBe('client');
  });

  test('an engine is loaded for sessions that it hears only', () => {
    let loads = 0;
    const hearing = localEngine({ prepare: () => loads++ });
    open({ mind: harbor, locale: 'de' }, { hearing });
    open({ mind: harbor, speechInputMode: 'off' }, { hearing });
    expect(loads).toBe(0);
    open({ mind: harbor }, { hearing });
    expect(loads).toBe(1);
  });
});

describe('transcription during the pause that may end a turn', () => {
  test('starts before the turn ends, with the questions of the topics as hints', async () => {
    const hearing = localEngine();
    const session = open({ mind: harbor }, { hearing });
    await session.play(3000);
    await speak(session, 1000);
    await silence(session, 280);
    expect(hearing.calls.length).toBe(1);
    expect(hearing.calls[0]!.session?.hints).toContain('When do the ferries leave?');
    hearing.calls[0]!.answer('When do the ferries leave?');
    await settled();
    expect(said(session)).toEqual([]);
    await silence(session, 240);
    expect(said(session).map(({ text }) => text)).toEqual(['When do the ferries leave?']);
    expect(hearing.calls.length).toBe(1);
    await session.play(1000);
    expect(session.connection.of('metrics').at(-1)!.hearingMs).toBeLessThan(50);
  });

  test('is stopped when the user continues, and the whole turn is transcribed', async () => {
    const hearing = localEngine();
    const session = open({ mind: harbor }, { hearing });
    await session.play(3000);
    await speak(session, 1000);
    await silence(session, 320);
    await speak(session, 600);
    expect(hearing.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    await silence(session, 320);
    expect(hearing.calls.length).toBe(2);
    expect(hearing.calls[1]!.ms).toBeGreaterThan(2000);
    hearing.calls[1]!.answer('ferry');
    await silence(session, 240);
    expect(said(session).map(({ text }) => text)).toEqual(['ferry']);
  });

  test('is repeated when it failed', async () => {
    const hearing = localEngine();
    const session = open({ mind: harbor }, { hearing });
    await session.play(3000);
    await speak(session, 1000);
    await silence(session, 320);
    hearing.calls[0]!.fail();
    await silence(session, 240);
    expect(hearing.calls.length).toBe(2);
    hearing.calls[1]!.answer('ferry');
    await settled();
    expect(said(session).map(({ text }) => text)).toEqual(['ferry']);
    expect(session.connection.of('error')).toEqual([]);
  });

  test('waits longer when the words do not end a sentence', async () => {
    const hearing = localEngine();
    const session = open({ mind: harbor }, { hearing });
    await session.play(3000);
    await speak(session, 1000);
    await silence(session, 280);
    hearing.calls[0]!.answer('When do the');
    await silence(session, 600);
    expect(said(session)).toEqual([]);
    await silence(session, 400);
    expect(said(session).map(({ text }) => text)).toEqual(['When do the']);
  });

  test('is stopped when the session ends', async () => {
    const hearing = localEngine();
    const session = open({ mind: harbor }, { hearing });
    await session.play(3000);
    await speak(session, 1000);
    await silence(session, 320);
    session.conversation.end('client_left');
    expect(hearing.calls[0]!.signal.aborted).toBe(true);
  });

  test('does not happen with an engine elsewhere', async () => {
    const { isLocal: _, ...hearing } = localEngine();
    const session = open({ mind: harbor }, { hearing });
    await session.play(3000);
    await speak(session, 1000);
    await silence(session, 320);
    expect(hearing.calls).toEqual([]);
  });
});

const greeting = 'Good morning, my dear friend, and welcome to the harbor. Please come in and look around.';

describe('the echo of the character', () => {
  const greets = { mind: { ...harbor, greeting: { en: greeting } } };

  async function hearEcho(session: TestConversation, hearing: ReturnType<typeof localEngine>, text: string) {
    await speak(session, 600);
    await silence(session, 320);
    hearing.calls.at(-1)!.answer(text);
    await silence(session, 280);
  }

  test('is no turn of the user, and later sounds do not pause the character', async () => {
    const hearing = localEngine();
    const session = open(greets, { hearing });
    await session.play(600);
    await hearEcho(session, hearing, 'good morning my deer friend');
    expect(said(session)).toEqual([]);
    expect(session.connection.of('interrupted').length).toBe(1);
    await hearEcho(session, hearing, 'welcome to the harbour');
    expect(said(session)).toEqual([]);
    expect(session.connection.of('interrupted').length).toBe(1);
  });

  test('does not keep other words from interrupting', async () => {
    const hearing = localEngine();
    const session = open(greets, { hearing });
    await session.play(600);
    await hearEcho(session, hearing, 'good morning my dear friend');
    await hearEcho(session, hearing, 'When do the ferries leave?');
    expect(said(session).map(({ text }) => text)).toEqual(['When do the ferries leave?']);
    expect(session.connection.of('message').some(({ interrupted }) => interrupted)).toBe(true);
  });
});

test.each([
  ['Good morning, my dear friend.', true],
  ['welcome to the harbour please come', true],
  ['welcome to the zoo', true],
  ['come in', false],
  ['When do the ferries leave?', false],
  ['', false],
])('"%s" is an echo of the greeting: %s', (heard, expected) => {
  expect(isPartOf(heard, greeting)).toBe(expected);
});

test.each([
  ['When do the', true],
  ['I would like to.', true],
  ['Well, um…', true],
  ['One ticket,', true],
  ['When do the ferries leave?', false],
  ['What is this for?', false],
  ['Thank you.', false],
  ['', false],
])('"%s" is an unfinished sentence: %s', (text, expected) => {
  expect(isUnfinished(text)).toBe(expected);
});
