import { readFileSync } from 'node:fs';
import { type ErrorCode, errorTable, operatorCodes } from '@session-launch/contract/errors';
import { describe, expect, test } from 'vitest';
import { blocksRunBy } from '../harness/doc-blocks.ts';

const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

/** The text under a heading, up to the next heading of the same or a higher level. */
function sectionOf(heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => new RegExp(`^#{1,${level}} `).test(line));
  return start === -1 ? '' : after.slice(0, end === -1 ? undefined : end).join('\n');
}

const documented = text.match(/^### .+$/gm)?.map((heading) => heading.slice(4)) ?? [];
const codes = Object.keys(errorTable) as ErrorCode[];

test('every JSON block is an error of the contract', () => {
  const blocks = blocksRunBy(import.meta.url);
  expect(blocks.length).toBeGreaterThan(codes.length);
  for (const { text: json, line } of blocks)
    expect(Object.keys(JSON.parse(json)), `line ${line}`).toEqual(['error']);
});

test('every code has one heading, and every heading is a code', () => {
  expect([...documented].sort()).toEqual([...codes].sort());
});

test('each code is in the section of its interface', () => {
  const sections: [heading: string, has: (code: string) => boolean][] = [
    [
      '## API for runtimes',
      (code) => /^(RUNTIME_|LIVEKIT_|CONCURRENCY_|SESSION_ALREADY_|SESSION_ENDED)/.test(code),
    ],
    ['## Admin API', (code) => operatorCodes.includes(code)],
    ['## Public API', () => true],
  ];
  for (const code of codes) {
    const own = sections.find(([, has]) => has(code))?.[0];
    for (const [heading] of sections)
      expect(sectionOf(heading).includes(`### ${code}\n`), `${code} ${heading}`).toBe(heading === own);
  }
});

describe.each(codes)('%s', (code) => {
  const section = sectionOf(`### ${code}`);

  test('has the status of its responses', () => {
    expect(/^Status \*\*(\d{3})\*\*/m.exec(section)?.[1]).toBe(String(errorTable[code].status));
  });

  test('has a cause and an action', () => {
    expect(section).toMatch(/^\*\*When\.\*\* \S/m);
    expect(section).toMatch(/^\*\*What to do\.\*\* \S/m);
  });

  test('has an example response', () => {
    const example = /```json\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
    const { error, ...others } = JSON.parse(example);
    expect(others).toEqual({});
    expect(error).toMatchObject({ code, message: expect.stringMatching(/\S/) });
    expect(error.requestId).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
    // Errors with details have a specific message; all others have the default message.
    if (error.details === undefined && code !== 'INVALID_JSON') {
      expect(error.message).toBe(errorTable[code].message);
    }
  });
});
