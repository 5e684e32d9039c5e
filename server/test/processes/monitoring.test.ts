import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { processFolder } from '@session-launch/testing/fleet.ts';
import { type Exposition, readRuntimeMetrics } from '@session-launch/testing/metrics.ts';
import { beforeAll, expect, test } from 'vitest';
import { alertRules, dashboardQueries, metricsIn } from '../harness/monitoring.ts';

const cleanup = useCleanup();
let known: Set<string>;

beforeAll(async () => {
  const { path, start } = await processFolder(cleanup);
  const service = await start({ DATA_DIR: await prepareDataFolder(join(path, 'data')), RUNTIME: 'on' });
  known = new Set(namesOf(await readRuntimeMetrics(service)));
});

/** The names by which queries select samples: a histogram has three. */
function namesOf({ types }: Exposition): string[] {
  return [...types].flatMap(([name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  );
}

const unknown = (queries: string[]) => queries.flatMap(metricsIn).filter((name) => !known.has(name));

test('every metric of the alert rules is exported by a running service', () => {
  const rules = alertRules.filter(({ alert }) => alert !== 'SessionLaunchDown');
  for (const { alert, expr } of rules) expect(metricsIn(expr), alert).not.toEqual([]);
  expect(unknown(rules.map(({ expr }) => expr))).toEqual([]);
});

test('every metric of the dashboard is exported by a running service', () => {
  for (const query of dashboardQueries) expect(metricsIn(query), query).not.toEqual([]);
  expect(unknown(dashboardQueries)).toEqual([]);
});
