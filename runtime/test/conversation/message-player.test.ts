import { expect, test } from 'vitest';
import { pcmFrames } from '../../src/conversation/frame-source.ts';
import { MessagePlayer } from '../../src/conversation/message-player.ts';
import { Outbox } from '../../src/conversation/outbox.ts';
import type { PreparedSpeech } from '../../src/conversation/speech-output.ts';
import { RecordedConnection } from '../harness/conversation.ts';
import { FakeClock, settled } from '../harness/fake-clock.ts';

const durationMs = 2800;

type Kind = Exclude<PreparedSpeech['speech'], 'live'>;

function preparedAs(speech: Kind): PreparedSpeech {
  const spoken = { durationMs, cues: [], words: [] };
  return speech === 'server'
    ? { speech, spoken: { ...spoken, source: 'engine', audio: new Int16Array(durationMs * 16) } }
    : { speech, spoken };
}

/** A player of a message with these pieces. `say` and `synthesise` let the mind and the speech engine continue. */
function open(speech: Kind = 'server', texts = ['First one.', 'Second one.']) {
  const clock = new FakeClock();
  const connection = new RecordedConnection();
  const outbox = new Outbox();
  outbox.open(connection);
  const calls: unknown[] = [];
  let [say, synthesise] = [() => {}, () => {}];
  const said = new Promise<void>((resolve) => {
    say = resolve;
  });
  const synthesised = new Promise<void>((resolve) => {
    synthesise = resolve;
  });
  let utterance = 0;
  const player = new MessagePlayer(
    {
      clock,
      outbox,
      sampleRate: 16_000,
      frames: () => pcmFrames,
      isDual: false,
      nextUtterance: () => ++utterance,
      prepare: async () => {
        await synthesised;
        return preparedAs(speech);
      },
      mindFailed: () => undefined,
      speaking: () => {},
      started: () => calls.push('started'),
      stalled: (isStalled) => calls.push(isStalled ? 'stalled' : 'continued'),
      finished: ({ heard }) => calls.push(`finished: ${heard}`),
      failed: (error) => calls.push(error),
    },
    'msg_1',
    async function* () {
      try {
        await said;
        for (const text of texts) yield { text, locale: 'en', characterId: 'maren' };
      } finally {
        calls.push('mind closed');
      }
    },
  );
  const after = async (event: () => void) => {
    event();
    await settled();
    return player.state;
  };
  return { player, clock, connection, outbox, calls, say, synthesise, after };
}

type Opened = ReturnType<typeof open>;

/** Brings a player into each of its states. */
const reach: Record<string, () => Promise<Opened>> = {
  generating: async () => open(),
  starting: async () => {
    const opened = open();
    await opened.after(opened.say);
    return opened;
  },
  sending: () => begun('server'),
  page: () => begun('client'),
  captions: () => begun('captions'),
  draining: async () => {
    const opened = await begun('server', ['Only one.']);
    await opened.after(() => opened.player.played(1, 1500, false));
    return opened;
  },
};

async function begun(speech: Kind, texts?: string[]): Promise<Opened> {
  const opened = open(speech, texts);
  opened.say();
  await opened.after(opened.synthesise);
  return opened;
}

test('server audio is generated, synthesised, sent up to 1.5 s ahead and drained', async () => {
  const { player, connection, calls, say, synthesise, after } = open('server', ['Only one.']);
  expect(player.state).toBe('generating');
  expect(await after(say)).toBe('starting');
  expect(await after(synthesise)).toBe('sending');
  expect(connection.audio.length * 40).toBeLessThanOrEqual(1500);
  expect(await after(() => player.played(1, 1500, false))).toBe('draining');
  expect(await after(() => player.played(1, 2800, false))).toBe('over');
  expect(calls).toEqual(['mind closed', 'started', 'finished: Only one.']);
});

test('page speech ends with the report of the page', async () => {
  const { player, after } = await begun('client', ['Only one.']);
  expect(player.state).toBe('page');
  expect(await after(() => player.played(1, 500, false))).toBe('page');
  expect(await after(() => player.played(1, 2500, true))).toBe('over');
});

test.each([
  ['page', 8600],
  ['captions', 2800],
])('without reports of the client, %s ends after %i ms', async (state, ms) => {
  const { player, clock, connection } = await reach[state]!();
  await clock.pass(ms - 1);
  expect(connection.of('utterance.end')).toEqual([]);
  await clock.pass(1);
  expect(connection.of('utterance.end')).toMatchObject([{ utterance: 1, reason: 'done' }]);
  expect(player.state).toBe(state);
});

test('without reports of the client, draining ends 2 s after the expected end of playback', async () => {
  const { player, clock, calls } = await reach.draining!();
  await clock.pass(3319);
  expect(player.state).toBe('draining');
  await clock.pass(1);
  expect(player.state).toBe('over');
  expect(calls.at(-1)).toBe('finished: Only one.');
});

test.each(Object.keys(reach))('from %s: pause, resume and the whole message', async (state) => {
  const { player, clock, connection, calls, say, synthesise, after } = await reach[state]!();
  expect(player.state).toBe(state);
  expect(await after(() => player.pause())).toBe('paused');
  // A second pause after the same piece has begun again does not skip it.
  expect(await after(() => player.resume())).not.toBe('paused');
  expect(await after(() => player.pause())).toBe('paused');
  say();
  await after(synthesise);
  expect(player.state).toBe('paused');
  await after(() => player.resume());
  for (let id = 1; player.state !== 'over' && id < 10; id++) await after(() => player.played(id, 3000, true));
  await clock.pass(20_000);
  const text = state === 'draining' ? 'Only one.' : 'First one. Second one.';
  expect(calls.at(-1)).toBe(`finished: ${text}`);
  expect(connection.of('message').at(-1)).toMatchObject({ status: 'final', text });
});

test.each(Object.keys(reach))('from %s: stop ends the message, its mind and its timers', async (state) => {
  const { player, clock, connection, calls, after, synthesise, say } = await reach[state]!();
  const outcome = player.stop();
  expect(player.state).toBe('over');
  expect(clock.pending).toBe(0);
  const { length } = connection.events;
  say();
  expect(await after(synthesise)).toBe('over');
  expect(connection.events.length).toBe(length);
  expect(calls.filter((call) => call !== 'started')).toEqual(['mind closed']);
  if (state === 'generating') expect(outcome).toEqual({ said: '', heard: '' });
  else expect(connection.of('message').at(-1)).toMatchObject({ interrupted: true, heard: outcome.heard });
});

test.each(['sending', 'page', 'captions'])(
  'from %s: a lost connection ends the utterance; the next one waits for a new connection',
  async (state) => {
    const { player, connection, outbox, after } = await reach[state]!();
    outbox.close();
    player.connectionLost();
    expect(await after(() => player.continue())).toBe('starting');
    expect(connection.of('utterance').length).toBe(1);
    const again = new RecordedConnection();
    outbox.open(again);
    expect(await after(() => player.continue())).toBe(state);
    expect(again.of('utterance')).toMatchObject([{ text: 'Second one.' }]);
  },
);

test('a client that reports no progress for 10 s has stalled, until its next report', async () => {
  const { player, clock, calls, after } = await begun('server');
  await clock.pass(9999);
  expect(calls).not.toContain('stalled');
  await clock.pass(1);
  expect(calls.at(-1)).toBe('stalled');
  await clock.pass(20_000);
  await after(() => player.played(1, 100, false));
  expect(calls.filter((call) => call === 'stalled' || call === 'continued')).toEqual([
    'stalled',
    'continued',
  ]);
});

test('while 512 KiB are unread nothing is synthesised or sent', async () => {
  const { player, clock, connection, say, synthesise, after } = open();
  connection.unsent = 512 * 1024 + 1;
  synthesise();
  expect(await after(say)).toBe('generating');
  await clock.pass(10_000);
  expect(connection.events).toEqual([]);
  connection.unsent = 0;
  await clock.pass(50);
  expect(player.state).toBe('sending');
});

test('an unexpected error is reported, not thrown', async () => {
  const { connection, calls, say, synthesise, after } = open();
  say();
  connection.sendText = () => {
    throw new TypeError('planted');
  };
  await after(synthesise);
  expect(calls).toContainEqual(new TypeError('planted'));
});
