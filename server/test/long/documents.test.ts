import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { createKey, createWorld, mintFromServer } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';

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

async function residentMb({ pid }: ServiceProcess): Promise<number> {
  const [, kB] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kB) / 1000;
}

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

test('the memory of large experiences is limited, however many are minted', async () => {
  const count = Number(process.env.EXPERIENCES ?? 300);
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
    rss.push(await residentMb(service));
  }
  const [early, late] = [rss.slice(0, 100), rss.slice(-50)].map((part) => Math.max(...part)) as [
    number,
    number,
  ];
  process.stdout.write(`${count} experiences of 1 MiB: ${early} MB after 100, ${late} MB at the end\n`);
  // The first hundred have filled the cache of 64 MiB.
  expect(late - early).toBeLessThan(150);
});
