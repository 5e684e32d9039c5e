import { expect, test } from 'vitest';
import type { OutboundResponse } from '../../src/outbound/outbound.ts';
import { type ToolCallDeps, ToolCalls } from '../../src/tools/tool-calls.ts';

const answer: OutboundResponse = { status: 200, headers: {}, body: Buffer.from('ok'), isTruncated: false };

/** Tools that respond when `respond` is called. */
function hangingTools(limits: ToolCallDeps['limits'] = {}) {
  const waiting: ((response: OutboundResponse) => void)[] = [];
  const calls = new ToolCalls({
    database: { query: async () => [] } as unknown as ToolCallDeps['database'],
    outbound: { send: () => new Promise((resolve) => waiting.push(resolve)) },
    signingKeys: {} as ToolCallDeps['signingKeys'],
    userAgent: 'test',
    called: () => {},
    limits,
  });
  const call = async (sessionId: string, projectId = 'prj_a') => {
    const tool = { name: 'look', url: 'https://tools.example.com/look' };
    const { outcome } = await calls.call({ projectId, sessionId, userId: null, tool, arguments: {} });
    return outcome;
  };
  const respond = () => {
    for (const resolve of waiting.splice(0)) resolve(answer);
  };
  return { call, waiting, respond };
}

test('a session has at most 10 calls in progress; other sessions of the project are not affected', async () => {
  const { call, waiting, respond } = hangingTools();
  const begun = Array.from({ length: 10 }, () => call('ses_a'));
  expect(await call('ses_a')).toBe('busy');
  begun.push(call('ses_b'));
  await expect.poll(() => waiting.length).toBe(11);
  respond();
  expect(await Promise.all(begun)).toEqual(Array(11).fill('done'));
  const again = call('ses_a');
  await expect.poll(() => waiting.length).toBe(1);
  respond();
  expect(await again).toBe('done');
});

test('a project and the process have their own limits', async () => {
  const { call } = hangingTools({ inFlight: 3, inFlightOfProject: 2 });
  for (const sessionId of ['ses_a', 'ses_b']) void call(sessionId);
  expect(await call('ses_c')).toBe('busy');
  void call('ses_d', 'prj_b');
  expect(await call('ses_e', 'prj_c')).toBe('busy');
});
