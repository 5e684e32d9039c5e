import { expect, test } from 'vitest';
import { startConversation } from '../harness/conversation.ts';
import { settled } from '../harness/fake-clock.ts';
import { harbor } from '../mind/harbor.ts';

const limits = { maxSeconds: 86_400, idleSeconds: 86_400 };
const turns = 300;

test('hundreds of turns leave no timer and no listener behind', async () => {
  const warnings: string[] = [];
  const warn = (warning: Error) => warnings.push(warning.message);
  process.on('warning', warn);
  const { conversation, clock, connection, receive, ended } = startConversation({ mind: harbor, limits });
  await clock.pass(5000);
  const quiet = clock.pending;
  for (let i = 0; i < turns; i++) {
    await receive({ type: 'text', id: `m${i}`, text: i % 3 === 0 ? 'ferry' : 'Where is Mongolia?' });
    // One in five is interrupted; the others are played to the end.
    if (i % 5 === 0) await receive({ type: 'interrupt' });
    else
      for (const { utterance } of connection.of('utterance').slice(-3))
        await receive({ type: 'played', utterance, ms: 60_000, done: true });
    await clock.pass(4000);
    // Two timers for the maximum duration and two for the idle limit; or one that waits for playback.
    expect(clock.pending).toBeLessThanOrEqual(quiet);
    connection.events.splice(0);
    connection.audio.splice(0);
  }
  expect(ended).toEqual([]);
  conversation.end('client_ended');
  await settled();
  expect(clock.pending).toBe(0);
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

test('sessions that open and close leave no timer and no listener behind', async () => {
  for (let i = 0; i < 100; i++) {
    const { conversation, clock, connection } = startConversation({ mind: harbor, limits });
    await settled();
    if (i % 2 === 0) conversation.lost();
    conversation.end(i % 2 === 0 ? 'client_lost' : 'client_ended');
    expect(clock.pending).toBe(0);
    expect(connection.events.length).toBeLessThan(20);
  }
});
