import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pageSpeech } from '../src/transport/page-speech.ts';
import { SessionSocket } from '../src/transport/session-socket.ts';
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

async function open(hearing = 'none', audio?: object) {
  const found = fakeContext(audio);
  end = found.end;
  const opening = SessionSocket.open(found.context, pageSpeech);
  await vi.advanceTimersByTimeAsync(0);
  FakeSocket.last.welcome({ hearing });
  const connection = await opening;
  await vi.advanceTimersByTimeAsync(0);
  return { connection, ...found };
}

/** On a page that waits for its worklet, which fails in the end. */
function openSlowly() {
  let load = () => {};
  const loading = new Promise<void>((_, reject) => {
    load = () => reject(new Error('no worklet'));
  });
  const found = fakeContext({ audioWorklet: { addModule: () => loading } });
  end = found.end;
  return { opening: SessionSocket.open(found.context), load: () => load(), ...found };
}

/** The connection breaks, and the runtime takes the client back. */
async function comeBack(seq: number, code?: number): Promise<void> {
  const broken = FakeSocket.last;
  broken.breaks(code);
  await vi.advanceTimersByTimeAsync(5000);
  expect(FakeSocket.last).not.toBe(broken);
  FakeSocket.last.welcome({ seq, resumed: true });
  await vi.advanceTimersByTimeAsync(0);
}

const hearings = (events: unknown[]) =>
  (events as { engines: { hearing: object } }[]).map(({ engines }) => engines.hearing);

test('ears of the page that give up are no ears any more, on later connections neither', async () => {
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

test('what the runtime says while the worklet still loads is not lost', async () => {
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
  // The runtime waits for it.
  await vi.advanceTimersByTimeAsync(900);
  expect(socket.sent.at(-1)).toMatchObject({ type: 'played', utterance: 1, done: true });
});

test('nor is a connection that breaks meanwhile: it is taken up again', async () => {
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

test('a connection that breaks again while events are replayed loses none of them', async () => {
  await open();
  FakeSocket.last.tell({ type: 'mode', seq: 2, mode: 'thinking' });
  await comeBack(8);
  FakeSocket.last.tell({ type: 'mode', seq: 3, mode: 'speaking' });
  await comeBack(9);
  expect(FakeSocket.last.sent[0]).toMatchObject({ resume: { ticket: 'ticket 8', lastSeq: 3 } });
});

test.each([1006, 1009, 1011, 4400, 4429])('closed with %i, a session is taken up again', async (code) => {
  const { told } = await open();
  await comeBack(2, code);
  expect(told.map(({ told: what }) => what)).toEqual(['event', 'dropped', 'event', 'resumed']);
});

test.each([1000, 4410, 4440, 4441, 4442])('closed with %i, it is over', async (code) => {
  const { told } = await open();
  FakeSocket.last.breaks(code);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told.at(-1)).toMatchObject({ told: 'closed', of: 'runtime' });
  expect(FakeSocket.all).toHaveLength(1);
});

test('a client that was too fast takes its time before it comes back', async () => {
  await open();
  FakeSocket.last.breaks(4429);
  await vi.advanceTimersByTimeAsync(900);
  expect(FakeSocket.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(600);
  expect(FakeSocket.all).toHaveLength(2);
});

const said = () => FakeSocket.last.sent.filter(({ type }) => type === 'text').map(({ id }) => id);
const echo = (id: string) => ({ type: 'message', seq: 2, id, role: 'user', status: 'final', text: 'Hello?' });

test('a text that went into a dead connection is sent again, until the runtime has it', async () => {
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

test('what is said while there is no connection is sent once there is one, in its order', async () => {
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

test('a page that lets no worklet in has no ears for the runtime, and the session goes on', async () => {
  const { connection, events } = await open('server');
  expect(hearings(events('ready'))).toEqual([{ kind: 'none' }]);
  connection.setMic({} as MediaStreamTrack);
  connection.sendText('Hello?', 'a');
  expect(said()).toEqual(['a']);
});
