import { readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import type { Answer, Call } from '@session-launch/testing/http.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { inTime } from '@session-launch/testing/slowness.ts';
import { createWorld, expectError, mintFromServer } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import { createOperator, withToken } from '../harness/operators.ts';

const cleanup = useCleanup();
const path = '/admin/experiences/exp_harbor_guide';

let service: ServiceProcess;
let key: string;
let experienceId: string;
let viewer: string;
/** The largest experience of the demo project, about 32 kB. */
let document: Record<string, unknown>;
let version: string;

beforeAll(async () => {
  const folder = await temporaryFolder();
  const data = await prepareDataFolder(join(folder.path, 'data'));
  service = await startProcess({ DATA_DIR: data, DEMO: 'on', LOG_LEVEL: 'error' });
  ({ key, experienceId } = await createWorld(service));
  viewer = (await createOperator(service)).token;
  const read = await service.admin({ path });
  document = read.json.experience;
  version = read.headers.etag as string;
  return async () => {
    await service.kill('SIGKILL');
    await folder.remove();
  };
});

const asViewer = (call: Call) => withToken(service, viewer, call);
const readYaml = () => asViewer({ path: `${path}?format=yaml` });
const check = (send = asViewer) =>
  send({
    method: 'PUT',
    path: `${path}?plan=true`,
    headers: { 'If-Match': version },
    body: { experience: document },
  });

/** Mints one session after the other until it is stopped. Returns the statuses. */
function keepMinting(): () => Promise<number[]> {
  const statuses: number[] = [];
  let isStopped = false;
  const minting = (async () => {
    while (!isStopped || statuses.length === 0)
      statuses.push((await mintFromServer(service, key, { experienceId })).status);
  })();
  const stop = async () => {
    isStopped = true;
    await minting;
    return statuses;
  };
  cleanup(async () => void (await stop()));
  return stop;
}

function statusesOf(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The statuses of answers, without that of an overloaded service. */
const kindsOf = (answers: Answer[]) =>
  new Set(
    inTime(
      answers.map(({ status }) => status),
      503,
    ),
  );

/** Samples the resident memory of the process until it is stopped. Returns the maximum in MB. */
function watchMemory(): () => Promise<number> {
  let [most, isStopped] = [0, false];
  const watching = (async () => {
    while (!isStopped) {
      const [, kB] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${service.pid}/status`, 'utf8')) ?? [];
      most = Math.max(most, Number(kB) / 1000);
      await setTimeout(20);
    }
  })();
  const stop = async () => {
    isStopped = true;
    await watching;
    return most;
  };
  cleanup(async () => void (await stop()));
  return stop;
}

test.skipIf(platform() !== 'linux')(
  '200 document requests of a viewer at once take one thread: memory stays below 600 MB, and every mint is answered',
  async () => {
    const [minted, mostMemory] = [keepMinting(), watchMemory()];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? readYaml() : check())),
    );
    expect(kindsOf(answers)).toEqual(new Set([200, 429]));
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expectError(answer, 429, 'RATE_LIMITED');
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect(new Set(await minted())).toEqual(new Set([201]));
    expect(await mostMemory()).toBeLessThan(600);
  },
);

test('an operator who sends 1,000 checks at once gets 429 for the excess; another operator and mints are not affected', async () => {
  const minted = keepMinting();
  const flood = Promise.all(Array.from({ length: 1_000 }, () => check()));
  const others = [await check(service.admin), await service.admin({ path })];
  expect(statusesOf(others)).toEqual({ 200: 2 });
  expect(kindsOf(await flood)).toEqual(new Set([200, 429]));
  expect(new Set(await minted())).toEqual(new Set([201]));
  expect(statusesOf([await check()])).toEqual({ 200: 1 });
});
