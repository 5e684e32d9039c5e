import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pageSpeech } from '../src/transport/page-speech.ts';
import { SessionSocket } from '../src/transport/session-socket.ts';
import { FakeRecogniser } from './fake-recogniser.ts';
import { FakeSocket, fakeContext } from './fake-socket.ts';

let end = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  vi.stubGlobal('WebSocket', FakeSocket);
});
afterEach(() => {
  end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function open(hearing = 'none', audio?: object, speech?: string) {
  const found = fakeContext(audio);
  end = found.end;
  const opening = SessionSocket.open(found.context, pageSpeech);
  await vi.advanceTimersByTimeAsync(0);
  FakeSocket.last.welcome({ hearing, ...(speech && { speech }) });
  const connection = await opening;
  await vi.advanceTimersByTimeAsync(0);
  return { connection, ...found };
}

/** Opens a socket on a page whose worklet is still loading and fails to load in the end. */
function openSlowly() {
  let load = () => {};
  const loading = new Promise<void>((_, reject) => {
    load = () => reject(new Error('no worklet'));
  });
  const found = fakeContext({ audioWorklet: { addModule: () => loading } });
  end = found.end;
  return { opening: SessionSocket.open(found.context), load: () => load(), ...found };
}

/** Closes the connection, and lets the runtime accept the resume. */
async function comeBack(seq: number, code?: number): Promise<void> {
  const broken = FakeSocket.last;
  broken.breaks(code);
  await vi.advanceTimersByTimeAsync(5000);
  expect(FakeSocket.last).not.toBe(broken);
  FakeSocket.last.welcome({ seq, resumed: true });
  await vi.advanceTimersByTimeAsync(0);
}

type Ready = { engines: { hearing: object; speech: { kind: string } } };
const hearings = (events: unknown[]) => (events as Ready[]).map(({ engines }) => engines.hearing);
const voices = (events: unknown[]) => (events as Ready[]).map(({ engines }) => engines.speech.kind);

test('recognition that has given up stays off on later connections', async () => {
  class Deaf extends EventTarget {
    start(): void {
      setTimeout(() => {
        this.dispatchEvent(Object.assign(new Event('error'), { error: 'network' }));
        this.dispatchEvent(new Event('end'));
      });
    }
  }
  vi.stubGlobal('webkitSpeechRecognition', Deaf);
  const { connection, events } = await open('client');
  connection.setMic({} as MediaStreamTrack);
  expect(hearings(events('ready'))).toEqual([{ kind: 'client' }]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(hearings(events('ready'))).toEqual([{ kind: 'client' }, { kind: 'none' }]);
  expect(JSON.stringify(events('ready'))).not.toContain('ticket');
  await comeBack(9);
  expect(hearings(events('ready')).at(-1)).toEqual({ kind: 'none' });
});

test('events that arrive while the worklet loads are kept', async () => {
  const { opening, told, load } = openSlowly();
  await vi.advanceTimersByTimeAsync(0);
  const socket = FakeSocket.last;
  socket.welcome();
  await vi.advanceTimersByTimeAsync(20);
  const line = { utterance: 1, messageId: 'm', characterId: 'sayo', locale: 'en', text: 'Good day.' };
  socket.tell(
    { type: 'mode', seq: 2, mode: 'speaking' },
    { type: 'message', seq: 3, id: 'm', role: 'character', status: 'partial', text: 'Good day.' },
    { type: 'utterance', seq: 4, ...line, speech: 'server' },
    { type: 'cues', seq: 5, utterance: 1, source: 'text', cues: [[900, 'sil']] },
  );
  expect(told).toEqual([]);
  load();
  await opening;
  socket.tell({ type: 'mode', seq: 6, mode: 'listening' });
  await vi.advanceTimersByTimeAsync(0);
  expect(told.map(({ told: what }) => what)).toEqual([
    'event',
    'mode',
    'message',
    'event',
    'cue',
    'event',
    'mode',
  ]);
  // The runtime waits for this message.
  await vi.advanceTimersByTimeAsync(900);
  expect(socket.sent.at(-1)).toMatchObject({ type: 'played', utterance: 1, done: true });
});

test('a connection that breaks while the worklet loads is resumed', async () => {
  const { opening, told, load } = openSlowly();
  await vi.advanceTimersByTimeAsync(0);
  FakeSocket.last.welcome();
  FakeSocket.last.breaks();
  load();
  await opening;
  await vi.advanceTimersByTimeAsync(5000);
  FakeSocket.last.welcome({ seq: 2, resumed: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(FakeSocket.last.sent[0]).toMatchObject({ type: 'hello', resume: { ticket: 'ticket 1' } });
  expect(told.map(({ told: what }) => what)).toContain('resumed');
});

test('a connection that breaks again during the replay of events loses none of them', async () => {
  await open();
  FakeSocket.last.tell({ type: 'mode', seq: 2, mode: 'thinking' });
  await comeBack(8);
  FakeSocket.last.tell({ type: 'mode', seq: 3, mode: 'speaking' });
  await comeBack(9);
  expect(FakeSocket.last.sent[0]).toMatchObject({ resume: { ticket: 'ticket 8', lastSeq: 3 } });
});

test.each([1006, 1009, 1011, 4400, 4429])('a session closed with %i is resumed', async (code) => {
  const { told } = await open();
  await comeBack(2, code);
  expect(told.map(({ told: what }) => what)).toEqual(['event', 'dropped', 'event', 'resumed']);
  expect(told[1]).toEqual({ told: 'dropped', of: code });
});

test.each([1000, 4410, 4440, 4441, 4442])('a session closed with %i is ended', async (code) => {
  const { told } = await open();
  FakeSocket.last.breaks(code);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.at(-1)).toMatchObject({ told: 'closed', of: 'runtime' });
  expect(FakeSocket.all).toHaveLength(1);
});

test('a client closed with 4429 waits before it reconnects', async () => {
  await open();
  FakeSocket.last.breaks(4429);
  await vi.advanceTimersByTimeAsync(900);
  expect(FakeSocket.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(600);
  expect(FakeSocket.all).toHaveLength(2);
});

test('reconnecting gives up after 45 seconds, also if an attempt is pending', async () => {
  const { told } = await open();
  FakeSocket.last.breaks();
  await vi.advanceTimersByTimeAsync(44_900);
  expect(told.at(-1)?.told).toBe('dropped');
  await vi.advanceTimersByTimeAsync(200);
  expect(told.at(-1)).toEqual({ told: 'closed', of: 'error' });
});

describe('the heartbeat', () => {
  const pings = () => FakeSocket.last.sent.filter(({ type }) => type === 'ping').length;
  const pong = () => FakeSocket.last.tell({ type: 'pong', t: 1 });
  const drops = (told: { told: string }[]) => told.filter(({ told: what }) => what === 'dropped').length;

  test('drops the connection after two unanswered pings', async () => {
    const { told } = await open();
    await vi.advanceTimersByTimeAsync(45_900);
    expect([pings(), drops(told)]).toEqual([3, 0]);
    await vi.advanceTimersByTimeAsync(200);
    expect(drops(told)).toBe(1);
  });

  test('does not drop the connection after one unanswered ping, if the next timer is late', async () => {
    const { told } = await open();
    await vi.advanceTimersByTimeAsync(15_000);
    pong();
    await vi.advanceTimersByTimeAsync(15_000);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 15_100);
    await vi.advanceTimersByTimeAsync(15_000);
    pong();
    await vi.advanceTimersByTimeAsync(15_000);
    vi.restoreAllMocks();
    expect(drops(told)).toBe(0);
  });

  test('does not drop a connection whose timers run once a minute', async () => {
    const { told } = await open();
    const { now } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => 4 * now.call(performance));
    for (let minute = 0; minute < 10; minute++) {
      await vi.advanceTimersByTimeAsync(15_000);
      pong();
    }
    vi.restoreAllMocks();
    expect([pings(), drops(told)]).toEqual([10, 0]);
  });

  test('does not drop the connection if a message arrives within a second after the last check', async () => {
    const { told } = await open();
    await vi.advanceTimersByTimeAsync(45_500);
    FakeSocket.last.tell({ type: 'mode', seq: 2, mode: 'thinking' });
    await vi.advanceTimersByTimeAsync(15_000);
    expect([pings(), drops(told)]).toEqual([4, 0]);
  });
});

const said = () => FakeSocket.last.sent.filter(({ type }) => type === 'text').map(({ id }) => id);
const echo = (id: string) => ({ type: 'message', seq: 2, id, role: 'user', status: 'final', text: 'Hello?' });

test('a text sent on a dead connection is sent again until the runtime acknowledges it', async () => {
  const { connection } = await open();
  connection.sendText('Hello?', 'a');
  connection.sendText('Are you there?', 'b');
  expect(said()).toEqual(['a', 'b']);
  FakeSocket.last.tell(echo('a'));
  await comeBack(3);
  expect(said()).toEqual(['b']);
  await comeBack(4);
  expect(said()).toEqual(['b']);
  FakeSocket.last.tell(echo('b'));
  await comeBack(5);
  expect(said()).toEqual([]);
});

test('texts entered while disconnected are sent after the reconnect, in order', async () => {
  const { connection } = await open();
  FakeSocket.last.breaks();
  connection.sendText('Hello?', 'a');
  connection.interrupt();
  await vi.advanceTimersByTimeAsync(5000);
  FakeSocket.last.welcome({ seq: 2, resumed: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(FakeSocket.last.sent.map(({ type }) => type)).toEqual(['hello', 'text', 'interrupt']);
  FakeSocket.last.tell(echo('a'));
  await comeBack(4);
  expect(FakeSocket.last.sent.map(({ type }) => type)).toEqual(['hello']);
});

test('interim transcripts are not sent after a reconnect, final ones are', async () => {
  FakeRecogniser.all = [];
  vi.stubGlobal('webkitSpeechRecognition', FakeRecogniser);
  const { connection } = await open('client');
  connection.setMic({} as MediaStreamTrack);
  FakeSocket.last.breaks();
  const [recogniser] = FakeRecogniser.all;
  recogniser!.say('Some', false);
  recogniser!.say('Some tea', false);
  recogniser!.say('Some tea, please.', true);
  await vi.advanceTimersByTimeAsync(5000);
  FakeSocket.last.welcome({ seq: 2, hearing: 'client', resumed: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(FakeSocket.last.sent.slice(1)).toMatchObject([
    { type: 'transcript', text: 'Some tea, please.', status: 'final' },
  ]);
});

test('a page whose voice does not speak gets captions, until it speaks', async () => {
  let start: (() => void) | null = null;
  const speechSynthesis = {
    getVoices: () => [{ lang: 'en' }],
    speak: (line: SpeechSynthesisUtterance) => {
      start = () => line.onstart?.({} as SpeechSynthesisEvent);
    },
    cancel: () => {},
  };
  vi.stubGlobal('speechSynthesis', speechSynthesis);
  vi.stubGlobal('SpeechSynthesisUtterance', class {});
  const { events } = await open('none', undefined, 'client');
  const line = { messageId: 'm', characterId: 'sayo', locale: 'en', text: 'Good day.', speech: 'client' };
  const speak = (utterance: number) =>
    FakeSocket.last.tell(
      { type: 'utterance', seq: 2, ...line, utterance },
      { type: 'cues', seq: 3, utterance, source: 'text', cues: [[900, 'sil']] },
    );
  speak(1);
  expect(voices(events('ready'))).toEqual(['client']);
  await vi.advanceTimersByTimeAsync(5000);
  expect(voices(events('ready'))).toEqual(['client', 'captions']);
  expect(FakeSocket.last.sent.at(-1)).toMatchObject({ type: 'played', utterance: 1, done: true });
  speak(2);
  start!();
  expect(voices(events('ready'))).toEqual(['client', 'captions', 'client']);
});

test('a page that blocks worklets has no server-side hearing and no voice, and the session continues', async () => {
  const { connection, events } = await open('server');
  expect(hearings(events('ready'))).toEqual([{ kind: 'none' }]);
  expect(voices(events('ready'))).toEqual(['captions']);
  connection.setMic({} as MediaStreamTrack);
  connection.sendText('Hello?', 'a');
  expect(said()).toEqual(['a']);
});

describe('a runtime that is full (1013)', () => {
  /** Rejects all attempts with the close code; returns the delays between them in seconds and the final error. */
  async function refusedBy(code: number) {
    const found = fakeContext();
    end = found.end;
    const times: number[] = [];
    const failed = SessionSocket.open(found.context).catch((error) => error);
    let result: unknown;
    void failed.then((error) => {
      result = error;
    });
    for (let ms = 0; ms < 120_000 && result === undefined; ms += 100) {
      await vi.advanceTimersByTimeAsync(100);
      if (FakeSocket.all.length === times.length) continue;
      times.push(ms / 1000);
      FakeSocket.last.breaks(code);
    }
    return { waits: times.slice(1).map((at, i) => at - times[i]!), error: result };
  }

  test('is retried four times with growing delays; then the error says that the service is busy', async () => {
    const { waits, error } = await refusedBy(1013);
    expect(waits).toHaveLength(3);
    for (const [i, least] of [0.9, 2.1, 3.7].entries()) expect(waits[i]).toBeGreaterThanOrEqual(least);
    expect(waits.reduce((sum, wait) => sum + wait)).toBeLessThan(12);
    expect(error).toMatchObject({
      code: 'CONNECT_FAILED',
      message: 'The service is busy.',
      retryable: true,
      details: { closeCode: 1013 },
      hint: expect.stringContaining('RUNTIME_MAX_SESSIONS'),
    });
  });

  test('is retried with the same token', async () => {
    const found = fakeContext();
    end = found.end;
    const opening = SessionSocket.open(found.context);
    await vi.advanceTimersByTimeAsync(0);
    const first = FakeSocket.last;
    first.breaks(1013);
    await vi.advanceTimersByTimeAsync(1500);
    expect(FakeSocket.last).not.toBe(first);
    FakeSocket.last.welcome();
    await opening;
    const tokens = FakeSocket.all.map(({ sent }) => sent[0]?.token);
    expect(tokens).toEqual([found.context.manifest.sessionToken, found.context.manifest.sessionToken]);
  });

  test('makes a resuming client wait one second before each retry', async () => {
    const { told } = await open();
    FakeSocket.last.breaks();
    await vi.advanceTimersByTimeAsync(0);
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.last.breaks(1013);
    await vi.advanceTimersByTimeAsync(900);
    expect(FakeSocket.all).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(600);
    expect(FakeSocket.all).toHaveLength(3);
    FakeSocket.last.welcome({ seq: 2, resumed: true });
    await vi.advanceTimersByTimeAsync(0);
    expect(told.at(-1)?.told).toBe('resumed');
  });

  test('a close code that refuses the token is not retried', async () => {
    expect((await refusedBy(4401)).waits).toEqual([]);
  });

  test('a runtime that did not receive the hello in time (4408) is retried', async () => {
    expect((await refusedBy(4408)).waits).toHaveLength(2);
  });
});

test('a resume that is closed with 4408 is retried', async () => {
  const { told } = await open();
  FakeSocket.last.breaks();
  await vi.advanceTimersByTimeAsync(0);
  await comeBack(2, 4408);
  expect(told.map(({ told: what }) => what)).toEqual(['event', 'dropped', 'event', 'resumed']);
});

describe('malformed messages', () => {
  const message = { type: 'message', seq: 2, id: 'a', role: 'character', status: 'final', text: 'Hello.' };
  const malformed: [string, unknown][] = [
    ['invalid JSON', '{'],
    ['not an object', 'null'],
    ['no type', {}],
    ['a type that is not a string', { type: { toString: 1 } }],
    ['a seq that is not a number', { ...message, seq: 'x' }],
    ['a second ready', { type: 'ready', seq: 2, resumeTicket: 'secret' }],
    ['an unknown mode', { type: 'mode', mode: 'dancing' }],
    ['a message without a text', { ...message, text: undefined }],
    ['a message with spans that are not a list', { ...message, spans: 1 }],
    ['an utterance without a locale', { type: 'utterance', utterance: 1, text: '', speech: 'client' }],
    ['cues that are not pairs', { type: 'cues', utterance: 1, cues: [null] }],
    ['cues that last a year', { type: 'cues', utterance: 1, cues: [[1e11, 'sil']] }],
    ['suggestions without items', { type: 'suggestions' }],
    [
      'a notice with an object as seconds',
      { type: 'notice', code: 'ENDING_SOON', secondsLeft: { toString: 1 } },
    ],
    ['an error without a message', { type: 'error', code: 'FAULT', fatal: false }],
    ['a frame shorter than its header', new ArrayBuffer(7)],
    ['a frame of another kind', new ArrayBuffer(8)],
  ];

  test.each(malformed)('%s: ignored and counted, and the conversation continues', async (_name, data) => {
    const { told, events } = await open();
    const raw = data instanceof ArrayBuffer || typeof data === 'string' ? data : JSON.stringify(data);
    const before = told.length;
    FakeSocket.last.onmessage?.({ type: 'message', data: raw });
    expect(told.slice(before)).toEqual([{ told: 'event', of: { type: 'malformed', count: 1 } }]);
    FakeSocket.last.tell(message);
    expect(told.at(-1)?.told).toBe('message');
    expect(events('malformed')).toHaveLength(1);
  });

  test('an event of an unknown type is passed on', async () => {
    const { events } = await open();
    FakeSocket.last.tell({ type: 'constructor', seq: 2, further: [1] });
    expect(events('constructor')).toEqual([{ type: 'constructor', seq: 2, further: [1] }]);
  });

  test('before ready they are ignored as well', async () => {
    const found = fakeContext();
    end = found.end;
    const opening = SessionSocket.open(found.context);
    await vi.advanceTimersByTimeAsync(0);
    FakeSocket.last.onmessage?.({ type: 'message', data: '{' });
    FakeSocket.last.onmessage?.({ type: 'message', data: new ArrayBuffer(3) });
    FakeSocket.last.tell({ type: 'ready', seq: 1, resumeTicket: 'a', limits: { heartbeatSeconds: 0 } });
    FakeSocket.last.welcome();
    await opening;
  });
});
