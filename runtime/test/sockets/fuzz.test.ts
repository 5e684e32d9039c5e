import { clientMessages, type RuntimeEvent } from '@session-launch/contract/runtime/protocol';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { composedPartner } from '../../src/conversation/composed-partner.ts';
import { Conversations } from '../../src/conversation/conversations.ts';
import { scriptedMind } from '../../src/mind/script/script.ts';
import { Admission } from '../../src/sockets/admission.ts';
import { Connection } from '../../src/sockets/connection.ts';
import { tokenReader } from '../../src/sockets/token.ts';
import { instantSpeech, loudnessDetector, scriptedHearing } from '../harness/engines.ts';
import { FakeClock, settled } from '../harness/fake-clock.ts';
import { connectedSession } from '../harness/session.ts';
import { SilentSocket } from '../harness/silent-socket.ts';
import { harbor } from '../mind/harbor.ts';

const frames = 20_000;

/** Seeded pseudo-random integers. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const types = [
  ...Object.keys(clientMessages).filter((type) => type !== 'bye'),
  'dance',
  '',
  '__proto__',
  'constructor',
];
const fields = [
  'id',
  'text',
  'status',
  'utterance',
  'ms',
  'done',
  't',
  'protocol',
  'resume',
  'locale',
  '__proto__',
];

function nonsense(next: (below: number) => number): unknown {
  const values = [
    null,
    true,
    -1,
    1e308,
    70_000,
    '',
    'final',
    'x'.repeat(5000),
    [],
    {},
    [[[[]]]],
    '\ud800',
    'ferry',
    'day',
    0.5,
  ];
  return values[next(values.length)];
}

function frame(next: (below: number) => number): [Buffer, boolean] {
  const kind = next(10);
  if (kind < 2) {
    const bytes = Buffer.from(Array.from({ length: next(60) }, () => next(256)));
    if (bytes.length > 0 && kind === 1) bytes[0] = 2;
    return [bytes, true];
  }
  if (kind === 2 && next(20) === 0) return [Buffer.from('{"type":"text"'), false];
  const message = Object.fromEntries(
    Array.from({ length: next(5) }, () => [fields[next(fields.length)]!, nonsense(next)]),
  );
  return [
    Buffer.from(
      JSON.stringify({ ...message, type: next(30) === 0 ? nonsense(next) : types[next(types.length)] }),
    ),
    false,
  ];
}

test(`${frames} random frames cause no error and no leak, and do not affect another session`, async () => {
  const clock = new FakeClock();
  const ended: string[] = [];
  const faults: Error[] = [];
  const conversations = new Conversations({
    clock,
    partner: composedPartner({
      mind: scriptedMind(() => 0),
      speech: instantSpeech(),
      hearing: scriptedHearing([]),
      detector: loudnessDetector,
    }),
    resumeSeconds: 30,
    runtimeId: 'rt_fuzz',
    callTool: async () => ({ outcome: 'done', output: '{}' }),
    observer: {
      turn: () => {},
      said: () => {},
      used: () => {},
      ignored: () => {},
      engineFailed: () => {},
      failed: (_, error) => faults.push(error),
    },
    ended: (sessionId) => ended.push(sessionId),
  });
  const admission = new Admission({
    clock,
    service: {
      connect: async (sessionId) =>
        connectedSession({ mind: harbor, limits: { maxSeconds: 86_400, idleSeconds: 86_400 } }, sessionId),
    },
    readToken: tokenReader({ source: undefined, clock, keysUnavailable: () => {} }),
    conversations,
    maxSessions: 10,
    arrived: () => {},
    connectFailed: (error) => faults.push(error),
    cut: () => {},
  });
  const enter = async (hello: object) => {
    const socket = new SilentSocket();
    const connection = new Connection(socket as unknown as WebSocket, socket, clock);
    admission.receive(connection, {
      client: '127.0.0.1',
      origin: undefined,
      hasProtocol: true,
      canResume: true,
    });
    const text = { type: 'hello', protocol: 1, client: { name: 'fuzz', version: '1' }, ...hello };
    socket.emit('message', Buffer.from(JSON.stringify(text)), false);
    await settled();
    return socket;
  };
  const token = (sub: string) => `x.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.x`;
  const events = (socket: SilentSocket) =>
    socket.sent
      .filter((one): one is string => typeof one === 'string')
      .map((one) => JSON.parse(one) as RuntimeEvent);
  const ticketOf = (socket: SilentSocket) =>
    (events(socket).find(({ type }) => type === 'ready') as Extract<RuntimeEvent, { type: 'ready' }>)
      .resumeTicket;

  const quiet = await enter({ token: token('ses_quiet') });
  quiet.on('pinged', () => quiet.emit('pong'));
  // Before the first user message the idle limit is shorter.
  quiet.emit('message', Buffer.from('{"type":"text","id":"first","text":"tide"}'), false);
  let wild = await enter({ token: token('ses_wild') });
  const next = numbers(15);
  let resumed = 0;
  for (let i = 0; i < frames; i++) {
    wild.emit('message', ...frame(next));
    if (i % 50 === 0) await clock.pass(1500);
    if (wild.closedWith === undefined) continue;
    expect([4400, 4429]).toContain(wild.closedWith);
    // At most five resumes are allowed in ten seconds.
    await clock.pass(2000);
    wild = await enter({ resume: { ticket: ticketOf(wild), lastSeq: 0 } });
    resumed++;
  }
  expect(resumed).toBeGreaterThan(10);
  expect(faults).toEqual([]);
  expect(ended).toEqual([]);
  expect(conversations.size).toBe(2);
  // Two sessions have a few timers each, regardless of the number of frames.
  expect(clock.pending).toBeLessThan(30);
  expect(events(quiet).filter(({ type }) => type === 'error')).toEqual([]);
  expect(quiet.closedWith).toBeUndefined();
  quiet.emit('message', Buffer.from('{"type":"text","id":"q","text":"ferry"}'), false);
  await clock.pass(3000);
  expect(events(quiet)).toContainEqual(
    expect.objectContaining({ type: 'message', role: 'user', text: 'ferry' }),
  );
  const drained = conversations.drain(clock, 0);
  await clock.pass(10_000);
  await drained;
  expect(clock.pending).toBe(0);
});
