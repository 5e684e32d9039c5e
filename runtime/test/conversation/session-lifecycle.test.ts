import type { ClientMessage } from '@session-launch/contract/runtime/protocol';
import { afterEach, describe, expect, test } from 'vitest';
import { Conversations } from '../../src/conversation/conversations.ts';
import type { Mind } from '../../src/mind/mind.ts';
import { scriptedMind } from '../../src/mind/script/script.ts';
import { scriptedHearing } from '../harness/engines.ts';
import { FakeClock, settled } from '../harness/fake-clock.ts';
import { closeConversations, openConversation as open } from '../harness/open-conversations.ts';
import { connectedSession } from '../harness/session.ts';
import { harbor } from '../mind/harbor.ts';

afterEach(closeConversations);

describe('limits of a session', () => {
  test('an idle session ends, with a notice 30 seconds before', async () => {
    const { connection, clock, play, ended } = open({
      mind: harbor,
      limits: { maxSeconds: 900, idleSeconds: 60 },
    });
    await play(3000);
    await clock.pass(28_000);
    expect(connection.of('notice')).toEqual([]);
    await clock.pass(2500);
    expect(connection.of('notice')).toMatchObject([{ code: 'ENDING_SOON', secondsLeft: 30 }]);
    await clock.pass(31_000);
    expect(connection.of('ended')).toMatchObject([{ reason: 'idle_timeout' }]);
    expect(connection.closed).toEqual({ code: 4440, reason: 'idle_timeout' });
    expect(ended).toMatchObject([{ reason: 'idle_timeout' }]);
  });

  test('user input and the character’s speech reset the idle timer', async () => {
    const { clock, play, receive, ended } = open({
      mind: harbor,
      limits: { maxSeconds: 900, idleSeconds: 60 },
    });
    await play(3000);
    await clock.pass(50_000);
    await receive({ type: 'text', id: 'a', text: 'ferry' });
    await play(3000);
    await clock.pass(50_000);
    expect(ended).toEqual([]);
  });

  test('a session without any user input ends after 60 idle seconds', async () => {
    const limits = { maxSeconds: 900, idleSeconds: 120 };
    const [silent, talking] = [open({ mind: harbor, limits }), open({ mind: harbor, limits })];
    await talking.receive({ type: 'text', id: 'a', text: 'ferry' });
    for (const { play, clock } of [silent, talking]) {
      await play(3000);
      await clock.pass(31_000);
    }
    expect(silent.connection.of('notice')).toMatchObject([{ code: 'ENDING_SOON', secondsLeft: 30 }]);
    for (const { clock } of [silent, talking]) await clock.pass(31_000);
    expect(silent.ended).toMatchObject([{ reason: 'idle_timeout' }]);
    expect(talking.ended).toEqual([]);
    await talking.clock.pass(60_000);
    expect(talking.ended).toMatchObject([{ reason: 'idle_timeout' }]);
  });

  test('a presenter that speaks is not idle, even without user input', async () => {
    const tell = { en: `${'The stars are far away and very old. '.repeat(40)}` };
    const { play, connection, ended } = open({
      mode: 'presenter',
      mind: { presentation: [{ id: 'a', title: { en: 'Stars' }, tell }] },
      limits: { maxSeconds: 900, idleSeconds: 60 },
    });
    await play(70_000);
    expect([ended, connection.of('notice')]).toEqual([[], []]);
  });

  test.each<[string, ClientMessage]>([
    ['an interrupt with nothing to interrupt', { type: 'interrupt' }],
    ['an empty transcript', { type: 'transcript', id: 'e', text: ' ', status: 'interim' }],
    ['an empty final transcript', { type: 'transcript', id: 'f', text: '', status: 'final' }],
    ['the same interim transcript', { type: 'transcript', id: 'i', text: 'well', status: 'interim' }],
    ['a ping', { type: 'ping', t: 1 }],
    ['played', { type: 'played', utterance: 1, ms: 1 }],
    ['a button without sound', { type: 'audio.start' }],
  ])('%s does not count as activity', async (_, message) => {
    const limits = { maxSeconds: 900, idleSeconds: 60 };
    const { play, clock, receive, ended } = open({ mind: harbor, limits }, { hearing: scriptedHearing([]) });
    await play(3000);
    // New words count as activity; the same interim transcript again does not.
    await receive({ type: 'transcript', id: 'i', text: 'well', status: 'interim' });
    for (let i = 0; i < 3; i++) {
      await clock.pass(20_500);
      await receive(message);
    }
    expect(ended).toMatchObject([{ reason: 'idle_timeout' }]);
  });

  test('interim transcripts with new words count as activity, for one idle limit without a final one', async () => {
    const limits = { maxSeconds: 900, idleSeconds: 10 };
    const { play, clock, receive, ended } = open({ mind: harbor, limits });
    await play(3000);
    const speak = async (id: string, seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        await receive({ type: 'transcript', id, text: `word ${i}`, status: 'interim' });
        await clock.pass(1000);
      }
    };
    // A sentence that takes longer than the limit, and one that never ends.
    await speak('long', 15);
    await receive({ type: 'transcript', id: 'long', text: 'ferry', status: 'final' });
    await play(3000);
    expect(ended).toEqual([]);
    await speak('endless', 21);
    expect(ended).toMatchObject([{ reason: 'idle_timeout' }]);
  });

  test('the maximum duration ends a session in the middle of a sentence', async () => {
    const { connection, clock, ended } = open({ mind: harbor, limits: { maxSeconds: 40, idleSeconds: 120 } });
    await clock.pass(20_500);
    expect(connection.of('notice')).toMatchObject([{ code: 'ENDING_SOON', secondsLeft: 20 }]);
    await clock.pass(20_000);
    expect(connection.closed?.code).toBe(4441);
    expect(ended).toEqual([{ reason: 'max_duration', seconds: 40 }]);
  });

  test('a client that plays no audio is idle, even while the character has text to speak', async () => {
    const text =
      'This is a very long greeting, and nobody listens to it, because the page is asleep somewhere.';
    const { clock, ended } = open({
      mind: { greeting: { en: text } },
      limits: { maxSeconds: 900, idleSeconds: 60 },
    });
    await clock.pass(75_000);
    expect(ended).toMatchObject([{ reason: 'idle_timeout' }]);
  });
});

describe('a broken connection', () => {
  test('a client resumes with its ticket and receives the missed events with their original numbers', async () => {
    const { connection, conversation, play, receive, resume, ended, clock } = open({ mind: harbor });
    await play(3000);
    await receive({ type: 'text', id: 'a', text: 'ferry' });
    const ticket = connection.of('ready')[0]!.resumeTicket;
    const lastSeq = connection.events.at(-1)!.seq - 3;
    conversation.lost();
    await clock.pass(10_000);
    const again = resume(lastSeq);
    await settled();
    expect(again.events[0]).toMatchObject({ type: 'ready', resumed: true });
    expect(again.of('ready')[0]!.resumeTicket).not.toBe(ticket);
    const replayed = again.events.slice(1, 4);
    expect(replayed).toEqual(connection.events.slice(-3));
    expect(again.story).toContain('listening');
    expect(ended).toEqual([]);
  });

  test('audio resumes at the next sentence', async () => {
    const greeting =
      'This is the first sentence of three. This is the second one of them. And this is the last one of all.';
    const { connection, conversation, play, resume, clock } = open({ mind: { greeting: { en: greeting } } });
    await play(500);
    conversation.lost();
    await clock.pass(5000);
    expect(connection.of('utterance').map(({ text }) => text)).toEqual([
      'This is the first sentence of three.',
    ]);
    const again = resume(connection.events.at(-1)!.seq);
    await settled();
    expect(again.of('utterance.end')).toMatchObject([{ utterance: 1, reason: 'interrupted' }]);
    expect(again.of('utterance').map(({ text }) => text)).toEqual(['This is the second one of them.']);
    expect(again.audio[0]).toMatchObject({ utterance: 2, offset: 0 });
  });

  test('connected seconds exclude the gap', async () => {
    const { conversation, resume, clock, ended } = open({ mind: harbor });
    await clock.pass(10_000);
    conversation.lost();
    await clock.pass(20_000);
    resume(0);
    await clock.pass(5000);
    conversation.end('client_ended');
    expect(ended).toEqual([{ reason: 'client_ended', seconds: 15 }]);
  });

  test('a client that does not reconnect is reported as lost', async () => {
    const { conversation, clock, ended } = open({ mind: harbor });
    await clock.pass(4000);
    conversation.lost();
    await clock.pass(29_000);
    expect(ended).toEqual([]);
    await clock.pass(1500);
    expect(ended).toEqual([{ reason: 'client_lost', seconds: 4 }]);
  });

  test('a new connection replaces one that has not been detected as dead', async () => {
    const { connection, resume } = open({ mind: harbor });
    const again = resume(0);
    expect(connection.closed?.code).toBe(1001);
    expect(again.story[0]).toBe('ready');
  });

  test('a connection that replaces another one gets the mode before the next part of the message', async () => {
    const greeting = 'This is the first sentence of three. This is the second one of them. And the last one.';
    const { connection, resume, play } = open({ mind: { greeting: { en: greeting } } });
    await play(500);
    const again = resume(connection.events.at(-1)!.seq);
    await settled();
    expect(again.story.slice(0, 5)).toEqual(['ready', 'utterance.end', 'speaking', 'message', 'utterance']);
  });

  test('at most 256 events are buffered', async () => {
    const { resume, receive } = open({ mind: harbor });
    for (let i = 0; i < 300; i++)
      await receive({ type: 'transcript', id: 't', text: `word ${i}`, status: 'interim' });
    const again = resume(0);
    const [ready, ...later] = again.events;
    const replayed = later.filter(({ seq }) => seq < ready!.seq);
    expect(replayed.length).toBeLessThanOrEqual(256);
    expect(replayed.at(0)!.seq).toBeGreaterThan(40);
  });
});

test('a ping is answered with a pong, and bye ends the session', async () => {
  const { connection, receive, ended } = open({ mind: harbor });
  await receive({ type: 'ping', t: 17 });
  expect(connection.of('pong')).toMatchObject([{ t: 17 }]);
  await receive({ type: 'bye' });
  expect(connection.events.at(-1)).toMatchObject({ type: 'ended', reason: 'client_ended', seconds: 0 });
  expect(connection.closed).toEqual({ code: 1000, reason: 'client_ended' });
  await receive({ type: 'ping', t: 18 });
  expect(connection.of('pong').length).toBe(1);
  expect(ended.length).toBe(1);
});

test('a session that its owner ends is closed with 4442', () => {
  const { connection, conversation } = open({ mind: harbor });
  conversation.end('api_request');
  conversation.end('client_lost');
  expect(connection.closed).toEqual({ code: 4442, reason: 'api_request' });
});

describe('a process that shuts down', () => {
  test('lets the character finish its sentence, then ends the session', async () => {
    const { connection, conversation, play, ended } = open({
      mind: { greeting: { en: 'Good morning, my dear friend.' } },
    });
    await play(500);
    conversation.drain(5);
    expect(connection.of('notice')).toMatchObject([{ code: 'RESTARTING', secondsLeft: 5 }]);
    expect(ended).toEqual([]);
    await play(3000);
    expect(connection.of('message').at(-1)).not.toHaveProperty('interrupted');
    expect(ended).toMatchObject([{ reason: 'server_shutdown' }]);
    expect(connection.closed?.code).toBe(1001);
  });

  test('ends silent sessions immediately', async () => {
    const { conversation, play, ended } = open({ mind: harbor });
    await play(3000);
    conversation.drain(5);
    expect(ended).toMatchObject([{ reason: 'server_shutdown' }]);
  });
});

describe('unexpected errors', () => {
  const breaking = (method: 'answer' | 'suggestions' | 'remember'): Mind => {
    const mind = scriptedMind(() => 0);
    const begin: Mind['begin'] = (setting) => {
      const dialogue = mind.begin(setting);
      dialogue[method] = () => {
        throw new TypeError('planted words');
      };
      return dialogue;
    };
    return { ...mind, begin };
  };

  test('a partner that fails to open leaves no timer, and its session is reported as ended', async () => {
    const clock = new FakeClock();
    const ended: unknown[] = [];
    const conversations = new Conversations({
      clock,
      partner: () => {
        throw new TypeError('planted words');
      },
      resumeSeconds: 30,
      runtimeId: 'rt_test',
      callTool: async () => ({ outcome: 'done', output: '{}' }),
      observer: {
        turn: () => {},
        said: () => {},
        used: () => {},
        ignored: () => {},
        engineFailed: () => {},
        failed: () => {},
      },
      ended: (...end) => ended.push(end),
    });
    const hello = { type: 'hello', protocol: 1, client: { name: 'test', version: '1' } } as const;
    let left = 0;
    const visitor = { origin: undefined, left: () => left++ };
    expect(() => conversations.open(connectedSession({}, 'ses_a'), hello, visitor)).toThrow(TypeError);
    expect([clock.pending, conversations.size, left]).toEqual([0, 0, 1]);
    expect(ended).toEqual([['ses_a', 'runtime_error', 0]]);
  });

  test.each(['answer', 'suggestions', 'remember'] as const)(
    'an error in %s ends the conversation and is reported to the client',
    async (method) => {
      const session = open({ mind: harbor }, { mind: breaking(method) });
      await session.play(3000);
      await session.receive({ type: 'text', id: 'a', text: 'ferry' });
      await session.play(3000);
      expect(session.ended).toMatchObject([{ reason: 'runtime_error' }]);
      expect(session.connection.of('ended')).toMatchObject([{ reason: 'runtime_error' }]);
      expect(session.connection.closed).toEqual({ code: 1011, reason: 'runtime_error' });
      expect(session.faults.splice(0)[0]).toBeInstanceOf(TypeError);
    },
  );
});
