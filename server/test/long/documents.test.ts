import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { createKey, createWorld, mintFromServer } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { createOperator, withToken } from '../harness/operators.ts';

const cleanup = useCleanup();

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const data = await prepareDataFolder(join(folder.path, 'data'));
  const service = await startProcess({ DATA_DIR: data, LOG_LEVEL: 'error', ...env });
  cleanup(() => service.kill('SIGKILL'));
  return service;
}

/** CPU time of the process in milliseconds. */
async function cpuTime({ pid }: ServiceProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory now, and the most since the start of the process. */
async function memoryOf({ pid }: ServiceProcess): Promise<{ nowMb: number; mostMb: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1000;
  return { nowMb: of('VmRSS'), mostMb: of('VmHWM') };
}

/** Runs in a worker thread, so that the other requests of the test do not delay its mints. */
const minter = `
  const { parentPort, workerData: { url, key, experienceId, clients } } = require('node:worker_threads');
  const { Agent, request } = require('node:http');
  const agent = new Agent({ keepAlive: true });
  const body = JSON.stringify({ experienceId });
  const headers = { Authorization: 'Bearer ' + key, 'Content-Type': 'application/json', 'Content-Length': body.length };
  const mint = () => new Promise((resolve, reject) => {
    const sent = request(url + '/v1/sessions', { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 201 ? resolve() : reject(new Error('status ' + answer.statusCode))));
    });
    sent.on('error', reject).end(body);
  });
  let waits;
  let running = [];
  parentPort.on('message', async (isStart) => {
    if (isStart) {
      const own = waits = [];
      running = Array.from({ length: clients }, async () => {
        while (waits === own) {
          const begun = performance.now();
          await mint();
          own.push(performance.now() - begun);
        }
      });
      parentPort.postMessage('started');
    } else {
      const own = waits;
      waits = undefined;
      await Promise.all(running);
      parentPort.postMessage(own);
    }
  });`;

/** Mints as several clients, each one session after the other, between two messages. */
function startMinter(workerData: { url: string; key: string; experienceId: string; clients: number }) {
  const worker = new Worker(minter, { eval: true, workerData, execArgv: [] });
  cleanup(async () => void (await worker.terminate()));
  const ask = async (isStart: boolean) => {
    worker.postMessage(isStart);
    return (await once(worker, 'message'))[0];
  };
  /** Returns the milliseconds of each mint that began during `work`. */
  return async (work: () => Promise<unknown>): Promise<number[]> => {
    await ask(true);
    await work();
    return ask(false);
  };
}

const quantile = (values: number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * q) - 1]!;

test('200 document requests at once are answered or refused, and memory stays below 600 MB', async () => {
  const service = await start({ DEMO: 'on' });
  const { key, experienceId } = await createWorld(service, { project: { limits: { mintsPerMinute: null } } });
  const { token } = await createOperator(service);
  const path = '/admin/experiences/exp_harbor_guide';
  const { json, headers } = await service.admin({ path });
  const read = () => withToken(service, token, { path: `${path}?format=yaml` });
  const check = () =>
    withToken(service, token, {
      method: 'PUT',
      path: `${path}?plan=true`,
      headers: { 'If-Match': headers.etag as string },
      body: { experience: json.experience },
    });
  const flood = () => Promise.all(Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? read() : check())));
  await flood();
  const minting = startMinter({ url: service.url, key, experienceId, clients: 4 });
  const [quiet, beside]: number[][] = [[], []];
  const statuses: Record<number, number> = {};
  for (let round = 0; round < Number(process.env.ROUNDS ?? 12); round++) {
    const begun = performance.now();
    const answers: Answer[] = [];
    beside!.push(...(await minting(async () => answers.push(...(await flood())))));
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
    const ms = performance.now() - begun;
    quiet!.push(...(await minting(() => setTimeout(ms))));
  }
  const { mostMb } = await memoryOf(service);
  const [p99, alone] = [quantile(beside!, 0.99), quantile(quiet!, 0.99)];
  process.stdout.write(
    `200 document requests: ${JSON.stringify(statuses)}, ${mostMb} MB, mints p50 ${quantile(beside!, 0.5).toFixed(1)} ms, ` +
      `p99 ${p99.toFixed(1)} ms (${beside!.length}); without them p50 ${quantile(quiet!, 0.5).toFixed(1)} ms, ` +
      `p99 ${alone.toFixed(1)} ms (${quiet!.length}); ratio ${(p99 / alone).toFixed(2)}\n`,
  );
  expect(Object.keys(statuses).map(Number)).toEqual([200, 429]);
  expect(mostMb).toBeLessThan(600);
});

test('five editors typing in the largest demo experience take at most a quarter of a core', async () => {
  const service = await start({ DEMO: 'on' });
  const path = '/admin/experiences/exp_harbor_guide';
  const { json, headers } = await service.admin({ path });
  const seconds = 30;
  const before = await cpuTime(service);
  const began = performance.now();
  let checks = 0;
  const edit = async (editor: number) => {
    await setTimeout(editor * 300);
    while (performance.now() - began < seconds * 1000) {
      const experience = { ...json.experience, title: `Harbour ${editor} ${checks++}` };
      const body = { experience };
      const sent = {
        method: 'PUT',
        path: `${path}?plan=true`,
        headers: { 'If-Match': headers.etag as string },
        body,
      };
      expect((await service.admin(sent)).status).toBe(200);
      // The console checks 400 ms after the last key; a person pauses about every other second.
      await setTimeout(1_500);
    }
  };
  await Promise.all([0, 1, 2, 3, 4].map(edit));
  const share = ((await cpuTime(service)) - before) / (performance.now() - began);
  process.stdout.write(`five editors: ${checks} checks, ${(share * 100).toFixed(1)} % of a core\n`);
  expect(share).toBeLessThan(0.25);
});

/** Number of experiences of 1 MiB. */
const count = Number(process.env.EXPERIENCES ?? 300);

test('the memory of large experiences is limited, however many are minted', {
  timeout: count * 1_000 + 60_000,
}, async () => {
  const service = await start();
  const { projectId } = await createWorld(service);
  const { key } = await createKey(service, projectId);
  const text = 'x'.repeat(4_000);
  const location = { texts: Array.from({ length: 256 }, (_, n) => `${n} ${text}`) };
  const runtime = {
    characters: [{ characterId: 'ada', name: 'Ada' }],
    transport: { type: 'websocket', url: 'wss://runtime.example.com/session' },
    location,
  };
  const rss: number[] = [];
  for (let n = 0; n < count; n++) {
    const body = { slug: `large-${n}`, title: `Large ${n}`, status: 'published', runtime };
    const created = await service.admin({
      method: 'POST',
      path: `/admin/projects/${projectId}/experiences`,
      body,
    });
    expect(created.status, created.text.slice(0, 500)).toBe(201);
    const experienceId = created.json.experience.id as string;
    expect((await mintFromServer(service, key, { experienceId })).status).toBe(201);
    rss.push((await memoryOf(service)).nowMb);
  }
  const [early, late] = [rss.slice(0, 100), rss.slice(-50)].map((part) => Math.max(...part)) as [
    number,
    number,
  ];
  process.stdout.write(`${count} experiences of 1 MiB: ${early} MB after 100, ${late} MB at the end\n`);
  // The first hundred have filled the cache of 64 MiB.
  expect(late - early).toBeLessThan(150);
});
