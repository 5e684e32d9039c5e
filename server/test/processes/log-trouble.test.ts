import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { readRuntimeMetrics } from '@session-launch/testing/metrics.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dropped, expectServed } from '../harness/log-load.ts';

async function start(
  stderr: 'pipe' | number = 'pipe',
  more: Record<string, string> = {},
): Promise<ServiceProcess> {
  const { url, drop } = await clonedDatabase();
  onTestFinished(drop);
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const env = {
    DATABASE_URL: url,
    DATA_DIR: join(folder.path, 'data'),
    LOG_LEVEL: 'info',
    SHUTDOWN_GRACE_SECONDS: '0',
    ...more,
  };
  const service = await startProcess(env, folder.path, undefined, stderr);
  onTestFinished(async () => void (await service.kill('SIGKILL')));
  return service;
}

async function talker(service: ServiceProcess): Promise<Talker> {
  await readRuntimeMetrics(service);
  const { sessionToken } = await launched(service, await createWorld(service));
  const client = new Talker(`${service.url.replace('http', 'ws')}/runtime`, sessionToken);
  await client.ready();
  return client;
}

describe('an unwritable log blocks neither mints nor the shutdown', () => {
  test('when its reader pauses and resumes, or stops reading for good', async () => {
    const service = await start();
    service.log?.pause();
    await expectServed(service);
    service.log?.resume();
    // The buffered lines were written, and one line reports how many were dropped.
    await expect.poll(() => service.stderr()).toMatch(/"lines":\d+,"msg":"log lines were dropped/);
    const lines = service.stderr().trimEnd().split('\n');
    const lost = await dropped(service);
    const told = lines.flatMap((line) => JSON.parse(line).lines ?? []);
    expect(told.reduce((sum: number, each: number) => sum + each, 0)).toBe(lost);
    expect(lines.filter((line) => line.includes('/nowhere-')).length).toBeGreaterThan(400);
    // From here on no lines are dropped.
    const { headers } = await service.call({ path: '/healthz' });
    await expect.poll(() => service.stderr()).toContain(headers['x-request-id']);
    expect(await dropped(service)).toBe(lost);

    service.log?.pause();
    await expectServed(service);
    expect(await dropped(service)).toBeGreaterThan(lost);
    expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
  });

  test('when the reader of the runtime’s log stops reading; conversations continue', async () => {
    const service = await start('pipe', {
      RUNTIME: 'on',
      SPEECH: 'captions',
      LOG_LEVEL: 'trace',
      SHUTDOWN_GRACE_SECONDS: '20',
    });
    const client = await talker(service);
    service.log?.pause();
    await expectServed(service);
    // Each text causes a log line of the runtime.
    await client.ask('Are you there?');
    const stopped = service.kill('SIGTERM');
    expect(await client.closed).toBe(1001);
    expect(await stopped).toMatchObject({ code: 0 });
  });

  // Linux has a device that is always full. On other systems a closed reader, as in observability.test.ts, causes a similar error.
  for (const device of ['/dev/full'].filter(existsSync)) {
    test(`when its disk is full: ${device}`, async () => {
      const descriptor = openSync(device, 'w');
      onTestFinished(() => closeSync(descriptor));
      const service = await start(descriptor);
      await expectServed(service);
      expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
    });
  }
});
