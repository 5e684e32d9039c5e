import type { Mind } from '@session-launch/contract/project-file/mind';
import type { ToolCallResult } from '@session-launch/contract/runtime/lifecycle';
import { expect, test } from 'vitest';
import { startConversation } from '../harness/conversation.ts';
import { settled } from '../harness/fake-clock.ts';

const mind: Mind = {
  greeting: { en: ['Hello!'] },
  tools: [{ name: 'free_tables', description: 'Free tables.', url: 'https://booking.example.com/free' }],
  topics: [
    {
      ...{ id: 'tables', ask: { en: 'Is there a table tonight?' }, tell: { en: 'Let me look.' } },
      // biome-ignore lint/suspicious/noThenProperty: the word that authors write
      then: { tool: 'free_tables', arguments: { when: 'tonight' } },
    },
    { id: 'fish', ask: { en: 'What fish is there?' }, tell: { en: 'Cod.' } },
  ],
};

async function asking(result: ToolCallResult | Error, locale = 'en') {
  const calls: unknown[] = [];
  const talk = startConversation(
    { mind, locale },
    {
      callTool: async (sessionId, name, values) => {
        calls.push([sessionId, name, values]);
        if (result instanceof Error) throw result;
        return result;
      },
    },
  );
  await talk.play(3000);
  await talk.receive({ type: 'text', id: 'm1', text: 'Is there a table tonight?' });
  await talk.play(8000);
  return {
    ...talk,
    calls,
    text: talk.connection.of('message').findLast(({ role }) => role === 'character')!.text,
  };
}

const done = (response: unknown): ToolCallResult => ({ outcome: 'done', output: JSON.stringify(response) });

test('a topic calls its tool after its answer, with its arguments, and the character says the text of the response', async () => {
  const { conversation, calls, text, connection } = await asking(done({ say: 'Yes, at eight.' }));
  expect(calls).toEqual([[conversation.sessionId, 'free_tables', { when: 'tonight' }]]);
  expect(text).toBe('Let me look. Yes, at eight.');
  expect(connection.of('tool').map(({ name, status }) => [name, status])).toEqual([
    ['free_tables', 'running'],
    ['free_tables', 'done'],
  ]);
});

test.each([
  ['texts by language', { say: { de: 'Ja, um acht.', en: 'Yes, at eight.' } }, 'Let me look. Yes, at eight.'],
  ['a text in other languages only', { say: { de: 'Ja.' } }, 'Let me look.'],
  ['languages that are none', { say: { 'no tag!': 'Ja.' } }, 'Let me look.'],
  ['no text', { free: true }, 'Let me look.'],
  ['a text that is a number', { say: 8 }, 'Let me look.'],
  ['no object', [1], 'Let me look.'],
])('a response with %s', async (_what, response, expected) => {
  expect((await asking(done(response))).text).toBe(expected);
});

test('a response that is no JSON is not said', async () => {
  expect((await asking({ outcome: 'done', output: '<html>' })).text).toBe('Let me look.');
});

test.each([
  ['fails', { outcome: 'timeout', output: 'The tool did not answer.' } as const],
  ['cannot be called', new Error('unreachable')],
])('the character says so if the tool %s', async (_what, result) => {
  const { text, connection, failures } = await asking(result);
  expect(text).toBe('Let me look. Sorry, that did not work just now. Please try again later.');
  expect(connection.of('tool').at(-1)!.status).toBe('failed');
  expect(failures).toEqual([]);
});

test('other topics call nothing, and the text can be repeated', async () => {
  const talk = await asking(done({ say: 'Yes, at eight.' }));
  await talk.receive({ type: 'text', id: 'm2', text: 'What fish is there?' });
  await talk.play(3000);
  expect(talk.calls).toHaveLength(1);
  await talk.receive({ type: 'text', id: 'm3', text: 'Is there a table tonight?' });
  await talk.play(8000);
  await talk.receive({ type: 'text', id: 'm4', text: 'Please repeat that.' });
  await talk.play(8000);
  expect(talk.connection.of('message').at(-1)!.text).toBe('Let me look. Yes, at eight.');
  expect(talk.calls).toHaveLength(2);
});

test('a call that returns after the end of the session sends nothing', async () => {
  let answer: (result: ToolCallResult) => void = () => {};
  const talk = startConversation(
    { mind },
    {
      callTool: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    },
  );
  await talk.play(3000);
  await talk.receive({ type: 'text', id: 'm1', text: 'Is there a table tonight?' });
  talk.conversation.end('client_left');
  const { length } = talk.connection.events;
  answer(done({ say: 'Yes.' }));
  await settled();
  expect(talk.connection.events).toHaveLength(length);
  expect(talk.faults).toEqual([]);
});
