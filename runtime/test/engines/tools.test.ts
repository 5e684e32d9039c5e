import type { Tool } from '@session-launch/contract/project-file/mind';
import type { ToolCallResult } from '@session-launch/contract/runtime/lifecycle';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { modelMind } from '../../src/mind/model/model.ts';
import type { SessionOptions } from '../harness/session.ts';
import { startWorld, type World } from '../harness/world.ts';
import { type OpenAiServer, startOpenAiServer } from './openai-server.ts';

let server: OpenAiServer;
let world: World;
beforeEach(async () => {
  server = await startOpenAiServer();
  const mind = modelMind({ endpoint: { url: server.url, apiKey: 'secret-key' }, model: 'tiny' });
  world = await startWorld({ engines: { mind }, logLevel: 'info' });
});
afterEach(async () => {
  await world.close();
  await server.close();
});

const book: Tool = {
  name: 'book_table',
  description: 'Books a table.',
  parameters: { type: 'object', properties: { people: { type: 'integer' } }, required: ['people'] },
  url: 'https://booking.example.com/book',
};
const options: SessionOptions = { mind: { greeting: { en: ['Hello!'] }, tools: [book] } };
const done = (output: string): ToolCallResult => ({ outcome: 'done', output });

async function greeted() {
  const client = await world.join(options);
  await client.event('mode', ({ mode }) => mode === 'listening');
  return client;
}

const toolEvents = (client: Awaited<ReturnType<typeof greeted>>) =>
  client.events.flatMap((event) => (event.type === 'tool' ? [`${event.name} ${event.status}`] : []));

describe('a language model with tools', () => {
  test.each(['pieces', 'parts', 'whole'] as const)(
    'is offered them; the service makes the call that it asks for, and it answers with the result (%s)',
    async (as) => {
      const client = await greeted();
      world.service.callTool = async () => done('{"booked":"19:30"}');
      server.next.push({ kind: 'calls', calls: [['book_table', '{"people":2}']], as });
      server.text = 'Your table is booked.';
      expect(await client.ask('A table for two, please.')).toBe('Your table is booked.');
      expect(world.service.toolCalls).toEqual([
        {
          ...{ sessionId: client.sessionId, runtimeId: world.runtime.runtimeId },
          ...{ name: 'book_table', arguments: { people: 2 } },
        },
      ]);
      const [asked, told] = server.requests.map(({ body }) => body);
      const { name, description, parameters } = book;
      expect(asked.tools).toEqual([{ type: 'function', function: { name, description, parameters } }]);
      expect(told.messages.slice(-2)).toEqual([
        {
          ...{ role: 'assistant', content: null },
          tool_calls: [
            {
              ...{ id: 'call_0', type: 'function' },
              function: { name: 'book_table', arguments: '{"people":2}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0', content: '{"booked":"19:30"}' },
      ]);
      expect(toolEvents(client)).toEqual(['book_table running', 'book_table done']);
    },
  );

  test('what it says before a call is spoken while the tool works', async () => {
    const client = await greeted();
    let answer: (result: ToolCallResult) => void = () => {};
    world.service.callTool = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    server.next.push({ kind: 'calls', calls: [['book_table', '{"people":2}']], text: 'Let me look.' });
    server.text = 'It is free.';
    client.send({ type: 'text', id: 'm1', text: 'Is there a table?' });
    const running = await client.event('tool', ({ status }) => status === 'running');
    await client.event('utterance', ({ text }) => text === 'Let me look.');
    expect(toolEvents(client)).toEqual(['book_table running']);
    answer(done('{"free":true}'));
    const isAnswer = ({ role, status }: { role: string; status: string }) =>
      role === 'character' && status === 'final';
    const final = await client.event('message', isAnswer, client.events.indexOf(running));
    expect(final.text).toBe('Let me look. It is free.');
  });

  test('makes five calls in one turn and not a sixth, and must then answer', async () => {
    const client = await greeted();
    const call: [string, string] = ['book_table', '{"people":2}'];
    server.next.push(
      { kind: 'calls', calls: [call, call] },
      { kind: 'calls', calls: [call, call] },
      { kind: 'calls', calls: [call, call, call] },
    );
    server.text = 'I have tried.';
    expect(await client.ask('Book them all.')).toBe('I have tried.');
    expect(world.service.toolCalls).toHaveLength(5);
    const bodies = server.requests.map(({ body }) => body);
    expect(bodies.map((body) => body.tool_choice)).toEqual([undefined, undefined, undefined, 'none']);
    const results = bodies.at(-1).messages.filter(({ role }: { role: string }) => role === 'tool');
    expect(results.map(({ content }: { content: string }) => content)).toEqual([
      ...Array(5).fill('{"ok":true}'),
      expect.stringContaining('at most 5'),
      expect.stringContaining('at most 5'),
    ]);
    // The next turn starts at zero.
    server.next.push({ kind: 'calls', calls: [call] });
    await client.ask('And one more?');
    expect(world.service.toolCalls).toHaveLength(6);
  });

  test('that goes on asking when it must answer costs one honest sentence', async () => {
    const client = await greeted();
    const call: [string, string] = ['book_table', '{"people":2}'];
    for (let n = 0; n < 9; n++) server.next.push({ kind: 'calls', calls: [call] });
    expect(await client.ask('Book them all.')).toMatch(/sorry/i);
    expect(world.service.toolCalls).toHaveLength(5);
    expect(server.requests).toHaveLength(6);
  });

  test.each([
    ['no JSON', '{"people":', 'must be a JSON object'],
    ['no object', '[2]', 'must be a JSON object'],
  ])(
    'gets an error for arguments that are %s, which are neither sent nor repeated',
    async (_what, written, message) => {
      const client = await greeted();
      server.next.push({ kind: 'calls', calls: [['book_table', written]] });
      expect(await client.ask('A table?')).toBe(server.text);
      expect(world.service.toolCalls).toEqual([]);
      const [call, result] = server.requests.at(-1)!.body.messages.slice(-2);
      expect(call.tool_calls[0].function).toEqual({ name: 'book_table', arguments: '{}' });
      expect(result.content).toContain(message);
    },
  );

  test('gets an error for a name that it has invented, and the page gets no event', async () => {
    const client = await greeted();
    server.next.push({ kind: 'calls', calls: [['drop_tables', '{}']] });
    expect(await client.ask('A table?')).toBe(server.text);
    expect(world.service.toolCalls).toEqual([]);
    expect(toolEvents(client)).toEqual([]);
  });

  test('gets the error of a failed call, and the page its status', async () => {
    const client = await greeted();
    const output = 'The tool did not answer within 10 seconds. It may have done its work or not.';
    world.service.callTool = async () => ({ outcome: 'timeout', output });
    server.next.push({ kind: 'calls', calls: [['book_table', '{"people":2}']] });
    await client.ask('A table?');
    expect(server.requests.at(-1)!.body.messages.at(-1).content).toBe(output);
    expect(toolEvents(client)).toEqual(['book_table running', 'book_table failed']);
  });

  test('goes on if the service cannot be reached, and nothing that was said is logged', async () => {
    const client = await greeted();
    world.service.isDown = true;
    server.next.push({ kind: 'calls', calls: [['book_table', '{"people":2,"name":"Zaphod"}']] });
    expect(await client.ask('A table for Zaphod?')).toBe(server.text);
    expect(server.requests.at(-1)!.body.messages.at(-1).content).toContain('cannot be called');
    const log = world.log.join('');
    expect(log).toContain('the service could not call a tool');
    for (const secret of ['Zaphod', 'people', 'secret-key']) expect(log).not.toContain(secret);
  });

  test('learns the result of a call that was interrupted, in the next turn', async () => {
    const client = await greeted();
    let answer: (result: ToolCallResult) => void = () => {};
    world.service.callTool = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    server.next.push({ kind: 'calls', calls: [['book_table', '{"people":2}']] });
    client.send({ type: 'text', id: 'm1', text: 'A table, please.' });
    await client.event('tool', ({ status }) => status === 'running');
    client.send({ type: 'interrupt' });
    await client.event('mode', ({ mode }) => mode === 'listening', client.events.length);
    answer(done('{"booked":true}'));
    await client.event('tool', ({ status }) => status === 'done');
    await client.ask('Is it booked?');
    const { messages } = server.requests.at(-1)!.body;
    expect(messages.find(({ role }: { role: string }) => role === 'tool').content).toBe('{"booked":true}');
  });

  test('a tool that hangs does not delay the other sessions', async () => {
    const [waiting, other] = [await greeted(), await greeted()];
    const hanging: ((result: ToolCallResult) => void)[] = [];
    world.service.callTool = () => new Promise((resolve) => hanging.push(resolve));
    server.next.push({ kind: 'calls', calls: [['book_table', '{"people":2}']] });
    waiting.send({ type: 'text', id: 'm1', text: 'A table?' });
    await waiting.event('tool');
    expect(await other.ask('Hello?')).toBe(server.text);
    expect(toolEvents(waiting)).toEqual(['book_table running']);
    for (const release of hanging) release(done('{}'));
    await waiting.event('tool', ({ status }) => status === 'done');
  });
});

test('without tools, a request has none', async () => {
  const client = await world.join({ mind: { greeting: { en: ['Hello!'] } } });
  await client.ask('Hello?');
  expect(Object.keys(server.requests[0]!.body).sort()).toEqual(['messages', 'model', 'stream']);
});
