import { clientMessages } from '@session-launch/contract/runtime/protocol';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { schemaViolation } from '../../src/sockets/schema-check.ts';

const good: Record<string, object[]> = {
  hello: [
    {
      type: 'hello',
      protocol: 1,
      token: 'eyJ',
      resume: { ticket: 'rt_1.abc', lastSeq: 4 },
      client: { name: 'test', version: '1', further: [] },
      speech: { synthesis: ['en', 'pt-PT'], recognition: [] },
    },
  ],
  text: [{ type: 'text', id: 'm1', text: 'Hello!', locale: 'en' }],
  transcript: [{ type: 'transcript', id: 'm1', text: '', status: 'interim', locale: 'en' }],
  'audio.start': [{ type: 'audio.start' }],
  'audio.end': [{ type: 'audio.end' }],
  interrupt: [{ type: 'interrupt' }],
  played: [{ type: 'played', utterance: 3, ms: 1.5, done: true }],
  ping: [{ type: 'ping', t: -1.5 }],
  bye: [{ type: 'bye' }],
};

const strange = [
  ...[null, true, 'x', '', 'x'.repeat(4000), 'x'.repeat(9000), '😀'.repeat(4000), '😀'.repeat(64)],
  ...[0, 1, -1, 0.5, 65_535, 65_536, 86_400_001, {}, { length: 2 }, [], [1], ['en'], Array(501).fill('en')],
];

/** Yields the message with each of its fields, at any depth, removed or replaced by invalid values. */
function* variants(value: object): Generator<object> {
  yield value;
  for (const [name, field] of Object.entries(value)) {
    const { [name as never]: _, ...others } = value;
    yield others;
    for (const one of strange) yield { ...value, [name]: one };
    if (typeof field === 'object' && !Array.isArray(field))
      for (const inner of variants(field)) yield { ...value, [name]: inner };
  }
}

describe.each(Object.entries(clientMessages))('%s', (type, schema) => {
  const validator = Compile(schema);
  const messages = good[type]!.flatMap((message) => [...variants(message)]);

  test('is accepted or rejected exactly as by a schema validator', () => {
    expect(good[type]!.map((message) => schemaViolation(schema, message))).toEqual([undefined]);
    for (const message of messages)
      expect(schemaViolation(schema, message) === undefined, JSON.stringify(message).slice(0, 200)).toBe(
        validator.Check(message),
      );
  });
});

test('an error names the field and the expected type, not the value', () => {
  const say = (message: object) =>
    schemaViolation(clientMessages[(message as { type: 'hello' }).type], message);
  const [hello] = good.hello as [{ client: object; speech: object }];
  expect(say({ ...hello, client: { ...hello.client, version: 12345 } })).toBe(
    'client.version must be a text',
  );
  expect(say({ ...hello, speech: { synthesis: ['en', ''], recognition: [] } })).toBe(
    'speech.synthesis.1 must be of 1 to 64 characters',
  );
  expect(say({ type: 'played', utterance: 70_000, ms: 1 })).toBe('utterance must be from 0 to 65535');
  expect(say({ type: 'transcript', id: 'a', text: 'b', status: 'maybe' })).toBe(
    'status must be one of interim, final',
  );
  expect(say({ type: 'text', id: 'a' })).toBe('text is missing');
});
