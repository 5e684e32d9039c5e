import { parseMetrics } from '@session-launch/testing/metrics.ts';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/minting/endpoints.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { Traffic } from '../../src/observe/traffic.ts';
import { readPage, tableRows } from '../harness/pages.ts';

const [, section = ''] = /^## Metrics\n([\s\S]*?)^## /m.exec(readPage('docs/metrics.md')) ?? [];

interface Documented {
  name: string;
  type: string;
  labels: string[];
  meaning: string;
}

const documented = tableRows(section).flatMap((row): Documented[] => {
  const [, names = '', type = '', labels = '', meaning = ''] = row.split(/(?<!\\)\|/);
  return quoted(names).map((name) => ({ name, type: type.trim(), labels: quoted(labels).sort(), meaning }));
});

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
}

/** Triggers every event once, so that every label is present. */
async function exposition() {
  const metrics = createMetrics();
  const traffic = new Traffic();
  traffic.answered('/v1/sessions', 201);
  metrics.watch({
    database: {
      pools: () => ({ everyday: { total: 1, idle: 1, waiting: 0 } }),
      own: {
        alive: () => true,
        restarts: () => 0,
        analyze: async () => undefined,
        maintain: async () => undefined,
        freeBytes: async () => 1,
      },
    },
    queueLength: () => 0,
    caches: { keys: { hits: 1, misses: 1 } },
    traffic,
    openConnections: async () => 0,
    admissions: { mints: { inFlight: 0, refused: 0 } },
    activeSessions: async () => 1,
    webhookQueues: async () => ({ outboxSeconds: 0, enabled: 1, failing: 0, disabled: 0 }),
    refusalsDelayed: () => 0,
    logLinesDropped: () => 0,
    runtime: () => ({
      state: 'ready',
      restarts: { exit: 1 },
      upgrades: { handed_over: 1 },
      upgradesInFlight: 0,
    }),
  });
  for (const { source } of endpoints) metrics.minted(source, 'launched', 0.01);
  metrics.batchWritten(1);
  metrics.lifecycle.connected('active');
  metrics.webhooks.attempted('delivered', 0.1);
  metrics.webhooks.disabled('gone');
  return parseMetrics(await metrics.registry.metrics());
}

const { types, samples } = await exposition();
const ofMetric = (name: string) =>
  samples.filter(
    (sample) => sample.name.replace(/_(bucket|sum|count)$/, '') === name || sample.name === name,
  );

test('the page lists every exported metric once, and no other', () => {
  expect(documented.map(({ name }) => name).sort()).toEqual([...types.keys()].sort());
});

test.each(documented)('$name has the documented type and labels', ({ name, type, labels }) => {
  expect(type).toBe(types.get(name));
  const shown = new Set(ofMetric(name).flatMap((sample) => Object.keys(sample.labels)));
  shown.delete('le');
  // Some process metrics have no samples before an event such as a garbage collection.
  if (shown.size > 0 || name.startsWith('session_launch_')) expect([...shown].sort()).toEqual(labels);
});

test('every row has a description', () => {
  for (const { name, meaning } of documented) expect(meaning.trim().length, name).toBeGreaterThan(10);
});

test('every metric that the section mentions exists', () => {
  const mentioned = section.match(/\b(session_launch|nodejs|process)_[a-z0-9_]+/g) ?? [];
  const known = new Set([...types.keys(), ...samples.map(({ name }) => name)]);
  expect(mentioned.filter((name) => !known.has(name))).toEqual([]);
});
