import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { leaks, type Places } from '@session-launch/testing/leaks.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { readRuntimeMetrics } from '@session-launch/testing/metrics.ts';
import {
  type ServiceProcess,
  startProcess,
  startRuntimeAlone,
  temporaryFolder,
} from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { runtimeToken } from '@session-launch/testing/target.ts';
import { createWorld, runtime, type World } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { everyFile, everyTableIn } from '../harness/stored-places.ts';

const said = {
  typed: 'The purple heron sleeps in Valparaiso',
  heard: 'My aunt hides her savings in the piano',
  interim: 'Nobody knows that Rosalind has left',
  misplaced: 'A zeppelin landed behind the bakery',
};

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: ServiceProcess;
let world: World;

beforeAll(async () => {
  folder = await temporaryFolder();
  await prepareDataFolder(folder.path);
  // The default level.
  service = await startProcess({ DATA_DIR: folder.path, RUNTIME: 'on', LOG_LEVEL: 'info' });
  await readRuntimeMetrics(service);
  const mind = { greeting: { en: 'Good morning.' }, fallback: { en: 'That I do not know.' } };
  world = await createWorld(service, {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
});
afterAll(async () => {
  await service?.kill('SIGKILL');
  await folder?.remove();
});

/** Sends the words in every message type of a client, including invalid ones. */
async function talkOf(client: Talker, words: typeof said): Promise<void> {
  const transcript = { type: 'transcript', id: 'heard' };
  expect(await client.ask(words.typed)).toMatch(/\w/);
  client.send({ ...transcript, text: words.interim, status: 'interim' });
  client.send({ ...transcript, text: words.heard, status: 'final' });
  await client.event(({ id, status }) => id === 'heard' && status === 'final');
  client.send({ type: 'text', id: 7, text: words.misplaced });
  client.send({ type: 'played', utterance: words.misplaced, ms: 1 });
  client.send({ type: words.misplaced });
  await client.event(({ type, re }) => type === 'error' && re === 'played');
}

test('spoken words appear in no log, metric, journal or database at the default level', async () => {
  const own = await temporaryFolder();
  onTestFinished(own.remove);
  const alone = startRuntimeAlone({
    DATA_DIR: own.path,
    LOG_LEVEL: 'info',
    RUNTIME_TOKEN: runtimeToken,
    ADMIN_URL: service.adminUrl,
  });
  const [beside, elsewhere] = [await launched(service, world), await launched(service, world)];
  const here = new Talker(`${service.url.replace('http', 'ws')}/runtime`, beside.sessionToken);
  const there = new Talker(await alone.url, elsewhere.sessionToken);
  await Promise.all([here.ready(), there.ready()]);
  await Promise.all([talkOf(here, said), talkOf(there, said)]);
  const { text: metrics } = await service.admin({ path: '/metrics' });
  await here.leave();
  // While the service is stopped, the standalone runtime must keep its reports in files.
  expect((await service.kill('SIGTERM')).code).toBe(0);
  await expect.poll(() => readdir(join(own.path, 'runtime-reports')).catch(() => [])).toHaveLength(1);
  await there.leave();
  await alone.stop();

  const places: Places = {
    'standard output': service.stdout() + alone.output.stdout,
    'standard error': service.stderr() + alone.output.stderr,
    metrics,
    ...(await everyTableIn(folder.path)),
    ...(await everyFile(folder.path)),
    ...(await everyFile(own.path)),
  };
  expect(leaks(places, said)).toEqual([]);
  // Proves that the search covers the places where sessions leave data.
  const found = leaks(places, { beside: beside.sessionId, elsewhere: elsewhere.sessionId });
  expect(found).toEqual(
    expect.arrayContaining(['beside in standard error', 'beside in table public.sessions']),
  );
  expect(found.some((one) => /elsewhere in file runtime-reports/.test(one))).toBe(true);
});
