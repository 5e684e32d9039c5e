import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@session-launch/contract/runtime/lifecycle';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serviceClient } from '../../src/service/client.ts';
import { Journal } from '../../src/service/journal.ts';
import { Reporter } from '../../src/service/reporter.ts';
import { FakeClock, settled } from '../harness/fake-clock.ts';
import { runtimeToken } from '../harness/stand-in-service.ts';
import { startWorld, type World } from '../harness/world.ts';
import { harbor } from '../mind/harbor.ts';

let world: World;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  world = await startWorld({ clock });
});
afterEach(() => world.close());

/** Waits until a matching report has arrived. */
const reported = (fits: (text: string) => boolean) =>
  expect.poll(() => world.service.reports.some((report) => fits(JSON.stringify(report)))).toBe(true);

test('one report covers all sessions every five seconds', async () => {
  const clients = await Promise.all([world.join({ mind: harbor }), world.join({ mind: harbor })]);
  await clock.pass(5000);
  await reported((text) => clients.every(({ sessionId }) => text.includes(sessionId)));
  expect(world.service.reports.length).toBe(1);
  const [report] = world.service.reports;
  expect(report!.runtimeId).toBe(world.runtime.runtimeId);
  expect(report!.sessions.map(({ seconds }) => Math.round(seconds))).toEqual([5, 5]);
  await clock.pass(5000);
  await expect.poll(() => world.service.reports.length).toBe(2);
});

test('no report is sent without sessions', async () => {
  await clock.pass(20_000);
  expect(world.service.reports).toEqual([]);
});

test('a session that its owner ended is closed with 4442 at the next report', async () => {
  const client = await world.join({ mind: harbor });
  world.service.ended.add(client.sessionId);
  await clock.pass(5000);
  expect(await client.closed).toEqual({ code: 4442, reason: 'api_request' });
  expect(client.events.at(-1)).toMatchObject({ type: 'ended', reason: 'api_request' });
});

test('an end is reported once, with its reason', async () => {
  const client = await world.join({ mind: harbor });
  await clock.pass(2000);
  client.send({ type: 'bye' });
  await client.closed;
  await clock.pass(3000);
  await reported((text) => text.includes('client_ended'));
  await clock.pass(10_000);
  const told = world.service.reports
    .flatMap(({ sessions }) => sessions)
    .filter(({ ended }) => ended !== undefined);
  expect(told).toEqual([{ sessionId: client.sessionId, seconds: 2, ended: 'client_ended' }]);
});

test('conversations continue while the service is unreachable, and are reported later', async () => {
  const client = await world.join({ mind: harbor });
  world.service.isDown = true;
  await clock.pass(5000);
  await expect.poll(() => world.log.join('')).toContain('reports do not reach the service');
  client.send({ type: 'bye' });
  await client.closed;
  await clock.pass(5000);
  expect(world.service.reports).toEqual([]);
  world.service.isDown = false;
  await clock.pass(5000);
  await reported((text) => text.includes('client_ended'));
  await expect.poll(() => world.log.join('')).toContain('reports reach the service again');
  await expect.poll(() => readdir(join(world.dataDir, 'runtime-reports'))).toEqual([]);
});

test('reports left by a dead process are delivered by the next one under the old runtime id', async () => {
  const dead = new Journal(world.dataDir, 'rt_dead');
  await dead.keep({
    runtimeId: 'rt_dead',
    sessions: [{ sessionId: 'ses_old', seconds: 12, ended: 'client_left' }],
  });
  const client = await world.join({ mind: harbor });
  await clock.pass(5000);
  await reported((text) => text.includes('rt_dead'));
  const [old] = world.service.reports.filter(({ runtimeId }) => runtimeId === 'rt_dead');
  expect(old!.sessions).toEqual([{ sessionId: 'ses_old', seconds: 12, ended: 'client_left' }]);
  await expect.poll(() => readdir(join(world.dataDir, 'runtime-reports'))).toEqual([]);
  expect(client.story).toContain('ready');
});

test('while a report is in flight one more is queued, with the newest state', async () => {
  const sent: Report[] = [];
  const answers: (() => void)[] = [];
  let seconds = 0;
  const reporter = new Reporter({
    clock,
    runtimeId: 'rt_slow',
    service: {
      report: (report) => {
        sent.push(report);
        return new Promise((resolve) => answers.push(() => resolve({ end: [] })));
      },
    },
    journal: new Journal(world.dataDir, 'rt_slow'),
    running: () => [{ sessionId: 'ses_a', seconds }],
    end: () => {},
    refused: () => {},
    reachable: () => {},
  });
  reporter.start();
  for (seconds = 5; seconds <= 60; seconds += 5) await clock.pass(5000);
  expect(sent.length).toBe(1);
  answers[0]!();
  await expect.poll(() => sent.length).toBe(2);
  expect(sent.map(({ sessions }) => sessions[0]!.seconds)).toEqual([5, 65]);
  answers[1]!();
  await settled();
  expect(sent.length).toBe(2);
  const closed = reporter.close();
  await expect.poll(() => sent.length).toBe(3);
  answers[2]!();
  await closed;
});

test('the newest 5000 session ends are kept through an outage', async () => {
  const sent: Report[] = [];
  const reporter = new Reporter({
    clock,
    runtimeId: 'rt_long',
    service: {
      report: async (report) => {
        sent.push(report);
        return { end: [] };
      },
    },
    journal: new Journal(world.dataDir, 'rt_long'),
    running: () => [],
    end: () => {},
    refused: () => {},
    reachable: () => {},
  });
  for (let i = 0; i < 6000; i++) reporter.ended(`ses_${i}`, 'client_left', 1);
  await reporter.close();
  expect(sent[0]!.sessions.length).toBe(5000);
  expect(sent[0]!.sessions[0]!.sessionId).toBe('ses_1000');
});

test('a session that waits for its client is reported as waiting', async () => {
  const [here, away] = [await world.join({ mind: harbor }), await world.join({ mind: harbor })];
  away.ws.terminate();
  const states = async () => {
    const { length } = world.service.reports;
    await clock.pass(5000);
    await expect.poll(() => world.service.reports.length).toBe(length + 1);
    return new Map(world.service.reports.at(-1)!.sessions.map((state) => [state.sessionId, state]));
  };
  // The runtime may detect the lost connection only after the first report.
  await expect
    .poll(async () => (await states()).get(away.sessionId))
    .toEqual({ sessionId: away.sessionId, seconds: expect.any(Number), waiting: true });
  expect((await states()).get(here.sessionId)).not.toHaveProperty('waiting');
});

test('a shutdown that cannot reach the service writes its last report to disk', async () => {
  const service = serviceClient(world.service.url, runtimeToken, 'rt_last');
  world.service.isDown = true;
  const journal = new Journal(world.dataDir, 'rt_last');
  const reporter = new Reporter({
    clock,
    runtimeId: 'rt_last',
    service,
    journal,
    running: () => [],
    end: () => {},
    refused: () => {},
    reachable: () => {},
  });
  reporter.ended('ses_a', 'server_shutdown', 7.5);
  await reporter.close();
  const [left] = await new Journal(world.dataDir, 'rt_next').leftovers();
  expect(left!.report).toEqual({
    runtimeId: 'rt_last',
    sessions: [{ sessionId: 'ses_a', seconds: 7.5, ended: 'server_shutdown' }],
  });
});

test('a report that the service rejects is set aside, and the others are delivered', async () => {
  for (const runtimeId of ['rt_broken', 'rt_sound'])
    await new Journal(world.dataDir, runtimeId).keep({
      runtimeId,
      sessions: [{ sessionId: `ses_${runtimeId}`, seconds: runtimeId === 'rt_broken' ? -1 : 1 }],
    });
  await world.join({ mind: harbor });
  await clock.pass(5000);
  await reported((text) => text.includes('rt_sound'));
  await expect
    .poll(() => readdir(join(world.dataDir, 'runtime-reports')))
    .toEqual(['rt_broken.report.json.refused']);
  await expect.poll(() => world.log.join('')).toContain('rejected a report of an earlier runtime');
  expect(world.log.join('')).not.toContain('do not reach the service');
});
