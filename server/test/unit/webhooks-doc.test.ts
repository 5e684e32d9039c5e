import { sessionSchema } from '@session-launch/contract/session';
import { eventTypes, webhookEventSchema } from '@session-launch/contract/webhook-events';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/webhooks/schedule.ts';
import { blocksRunBy } from '../harness/doc-blocks.ts';
import { readPage, tableRows } from '../harness/pages.ts';

const page = readPage('docs/webhooks.md');

test('every JSON block of the page is an event of the contract', () => {
  const events = blocksRunBy(import.meta.url).map(({ text }) => JSON.parse(text));
  expect(events.map(({ type }) => type)).toEqual(['session.ended', 'experience.published', 'webhook.test']);
  for (const event of events) expect([...Value.Errors(webhookEventSchema, event)]).toEqual([]);
  expect([...Value.Errors(sessionSchema, events[0].data)]).toEqual([]);
});

test('the table of the page has every event', () => {
  const [, section = ''] = /^## Events\n([\s\S]*?)^Each request/m.exec(page) ?? [];
  const named = tableRows(section).flatMap((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? []);
  expect(named).toEqual(eventTypes);
});

test('the page states the delays of the schedule', () => {
  const [, text = ''] = /sent again after (.*?), ± 10 %/s.exec(page) ?? [];
  const units = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 };
  expect(text).toBe('5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours');
  expect(retryAfterMs).toEqual([
    5 * units.seconds,
    5 * units.minutes,
    30 * units.minutes,
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * units.hours),
  ]);
});
