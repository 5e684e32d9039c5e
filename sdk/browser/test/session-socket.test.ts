import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
  const opening = SessionSocket.open(found.context);
  await vi.advanceTimersByTimeAsync(0);
  FakeSocket.last.welcome({ hearing });
  const connection = await opening;
  return { connection, ...found };
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
