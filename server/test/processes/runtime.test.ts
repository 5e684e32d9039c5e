import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { rows } from '@session-launch/testing/fleet.ts';
import { launched } from '@session-launch/testing/lifecycle.ts';
import { readMetrics, readRuntimeMetrics } from '@session-launch/testing/metrics.ts';
import {
  runProgram,
  type ServiceProcess,
  startProcess,
  temporaryFolder,
} from '@session-launch/testing/process.ts';
import { Talker } from '@session-launch/testing/talker.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld, mintFromServer, runtime, type World } from '@session-launch/testing/world.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runtimeProcesses } from '../harness/upgrades.ts';

const mind = {
  greeting: { en: 'Good morning.' },
  topics: [{ id: 'ferries', ask: { en: 'When do the ferries leave?' }, tell: { en: 'At every full hour.' } }],
};

/** A secret of the service, which must not be passed to the runtime. */
const planted = 'planted-secret-of-the-service';

let database: Awaited<ReturnType<typeof clonedDatabase>>;
let folder: { path: string; remove(): Promise<void> };
let service: ServiceProcess;
let world: World;

const env = () => ({
  DATABASE_URL: database.url,
  DATA_DIR: folder.path,
  RUNTIME: 'on',
  // The only level at which the texts of conversations are logged.
  LOG_LEVEL: 'trace',
  SHUTDOWN_GRACE_SECONDS: '20',
  PGPASSWORD: planted,
});

beforeAll(async () => {
  folder = await temporaryFolder();
  database = await clonedDatabase();
  service = await startProcess(env());
  await readRuntimeMetrics(service);
  world = await createWorld(service, {
    experience: { runtime: runtime({ transport: { type: 'websocket' }, mind }) },
  });
});
afterAll(async () => {
  await service?.kill('SIGKILL');
  await database?.drop();
  await folder?.remove();
});

const address = () => `${service.url.replace('http', 'ws')}/runtime`;

async function talker(): Promise<Talker & { sessionId: string }> {
  const { sessionId, sessionToken } = await launched(service, world);
  const made = new Talker(address(), sessionToken);
  await made.ready();
  return Object.assign(made, { sessionId });
}

async function session(sessionId: string) {
  const { json } = await service.call({
    path: `/v1/sessions/${sessionId}`,
    headers: { Authorization: `Bearer ${world.key}` },
  });
  return json;
}

const processes = () => runtimeProcesses(service);
const runtimeProcess = () => processes()[0]!;

test('a launch talks: the manifest names the public port, and the character greets and answers aloud', async () => {
  const answer = await mintFromServer(service, world.key, { experienceId: world.experienceId });
  expect(answer.json.launch.transport.url).toBe(address());
  const client = new Talker(answer.json.launch.transport.url, answer.json.launch.sessionToken);
  const ready = await client.ready();
  expect(ready.engines.speech).toEqual({ kind: 'server', name: 'flite' });
  expect(await client.ask('When do the ferries leave?')).toBe('At every full hour.');
  expect(client.frames).toBeGreaterThan(20);
  expect((await session(ready.sessionId)).status).toBe('active');
  await client.leave();
  await expect.poll(async () => (await session(ready.sessionId)).endReason).toBe('client_ended');
});

test('at the level trace, the log contains spoken and typed words, and no token', async () => {
  const said = {
    typed: 'The purple heron sleeps in Valparaiso',
    heard: 'My aunt hides her savings in the piano',
  };
  const { sessionToken } = await launched(service, world);
  const client = new Talker(address(), sessionToken);
  await client.ready();
  await client.ask(said.typed);
  client.send({ type: 'transcript', id: 'heard', text: said.heard, status: 'final' });
  await client.event(({ id, status }) => id === 'heard' && status === 'final');
  await client.leave();
  for (const words of Object.values(said))
    await expect.poll(() => service.stderr()).toContain(`"role":"user","text":"${words}"`);
  expect(service.stderr()).not.toContain(sessionToken);
});

test('a token can be used once', async () => {
  const { sessionToken } = await launched(service, world);
  const first = new Talker(address(), sessionToken);
  await first.ready();
  const second = new Talker(address(), sessionToken);
  expect(await second.closed).toBe(4409);
  await first.leave();
});

test('a forged token is refused with 4401 without a call to the service', async () => {
  const { sessionToken } = await launched(service, world);
  const attempts = async () => (await readMetrics(service)).total('session_launch_connects_total');
  const before = await attempts();
  const forged = new Talker(address(), sessionToken.replace(/[^.]+$/, 'A'.repeat(86)));
  expect(await forged.closed).toBe(4401);
  expect(await attempts()).toBe(before);
  const client = new Talker(address(), sessionToken);
  await client.ready();
  expect(await attempts()).toBe(before + 1);
  await client.leave();
});

test('a session that its owner ends is closed with 4442', async () => {
  const client = await talker();
  await service.call({
    method: 'POST',
    path: `/v1/sessions/${client.sessionId}/end`,
    headers: { Authorization: `Bearer ${world.key}` },
  });
  expect(await client.closed).toBe(4442);
});

test('a beacon to the leave URL ends the session', async () => {
  const { sessionId, sessionToken } = await launched(service, world);
  const client = new Talker(address(), sessionToken);
  await client.ready();
  const left = await service.call({
    method: 'POST',
    path: `/v1/sessions/${sessionId}/leave`,
    headers: { 'Content-Type': 'text/plain' },
    body: sessionToken,
  });
  expect(left.status).toBe(204);
  expect(await client.closed).toBe(4442);
  expect((await session(sessionId)).endReason).toBe('client_left');
});

test('an unsupported Upgrade header is ignored, and the request is answered', async () => {
  const status = await new Promise<number>((resolve, reject) => {
    const call = request(
      `${service.url}/v1/sessions`,
      {
        method: 'POST',
        headers: {
          Connection: 'Upgrade, HTTP2-Settings',
          Upgrade: 'h2c',
          'HTTP2-Settings': 'AAMAAABkAAQAAP__',
          Authorization: `Bearer ${world.key}`,
          'Content-Type': 'application/json',
        },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode!);
      },
    );
    call.on('error', reject);
    call.end(JSON.stringify({ experienceId: world.experienceId }));
  });
  expect(status).toBe(201);
  const elsewhere = new Talker(`${service.url.replace('http', 'ws')}/elsewhere`, 'x');
  expect(await elsewhere.closed).toBe(1006);
});

test('metrics of the runtime are exported next to those of the service', async () => {
  const metrics = await readRuntimeMetrics(service);
  expect(metrics.total('session_runtime_arrivals_total', { outcome: 'ready' })).toBeGreaterThan(0);
  expect(metrics.total('session_launch_mints_total')).toBeGreaterThan(0);
});

test('talk prints an answer, and writes a WAV file of a fitting length', async () => {
  const out = join(folder.path, 'hello.wav');
  const result = await runProgram(
    [
      'talk',
      world.experienceId,
      '--project',
      world.projectId,
      '--text',
      'When do the ferries leave?',
      '--out',
      out,
    ],
    { ADMIN_URL: service.adminUrl, ADMIN_TOKEN: adminToken },
  );
  expect(result.stderr).toMatch(/s of speech in/);
  expect(result.code).toBe(0);
  expect(result.stdout).toMatch(
    /Ada: Good morning\.[\s\S]*You: When do the ferries leave\?[\s\S]*Ada: At every full hour\./,
  );
  const wav = await readFile(out);
  const samples = new Int16Array(Uint8Array.from(wav.subarray(44)).buffer);
  const seconds = samples.length / wav.readUInt32LE(24);
  expect(seconds).toBeGreaterThan(1.2);
  expect(seconds).toBeLessThan(5);
  const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  expect(loudness).toBeGreaterThan(500);
});

test('the runtime process gets no secret of the database or the admin API', async () => {
  const args = ['eww', '-o', 'command=', '-p'];
  const environment = (pid: number) => execFileSync('ps', [...args, String(pid)]).toString();
  const own = environment(service.pid);
  const given = environment(runtimeProcess());
  for (const secret of [`PGPASSWORD=${planted}`, `ADMIN_TOKEN=${adminToken}`]) {
    expect(own).toContain(secret);
    expect(given).not.toContain(secret);
  }
  expect(given).toContain('RUNTIME_TOKEN=');
});

test('a spare replaces a runtime that is killed during conversations; mints are not affected, and clients reconnect', async () => {
  // A runtime that has started successfully gets a spare process.
  await expect.poll(() => processes().length, { interval: 250 }).toBe(2);
  const [before, spare] = processes();
  const talking = await Promise.all(Array.from({ length: 8 }, talker));
  const statuses: number[] = [];
  let isOver = false;
  const minting = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      statuses.push((await mintFromServer(service, world.key, { experienceId: world.experienceId })).status);
      // A few at any moment are enough; more would only take CPU time from the others.
      await sleep(10);
    }
  });
  try {
    const arriving = await Promise.all(Array.from({ length: 8 }, () => launched(service, world)));
    process.kill(before!, 'SIGKILL');
    // The service has not noticed yet: some of these connections are passed to the dead process.
    const arrived = arriving.map(({ sessionToken }) => new Talker(address(), sessionToken));
    expect(await Promise.all(talking.map(({ closed }) => closed))).toEqual(Array(8).fill(1006));
    await Promise.all(arrived.map((client) => client.ready()));
    expect(await arrived[0]!.ask('When do the ferries leave?')).toBe('At every full hour.');
    expect(runtimeProcess(), 'the spare has its place').toBe(spare);
    await Promise.all(arrived.map((client) => client.leave()));
  } finally {
    isOver = true;
  }
  await Promise.all(minting);
  expect(new Set(statuses)).toEqual(new Set([201]));
  // Their duration is what the runtime had reported; no time is added after it was killed.
  for (const { sessionId } of talking) {
    const { status, usage, startedAt } = await session(sessionId);
    expect(['active', 'ended']).toContain(status);
    expect(usage.seconds).toBeLessThanOrEqual((Date.now() - Date.parse(startedAt)) / 1000);
  }
});

test('a runtime that dies before it has a spare is replaced', async () => {
  const before = processes();
  for (const child of before) process.kill(child, 'SIGKILL');
  await expect.poll(() => processes().some((child) => !before.includes(child))).toBe(true);
  await readRuntimeMetrics(service);
  const client = await talker();
  expect(before).not.toContain(runtimeProcess());
  await client.leave();
});

test('a shutdown ends running sessions as server_shutdown, and stops the runtime', async () => {
  const client = await talker();
  const children = processes();
  const stopped = service.kill('SIGTERM');
  await client.event(({ type, code }) => type === 'notice' && code === 'RESTARTING');
  expect(await client.closed).toBe(1001);
  expect(client.events.at(-1)).toMatchObject({ type: 'ended', reason: 'server_shutdown' });
  expect((await stopped).code).toBe(0);
  for (const child of children) expect(() => process.kill(child, 0)).toThrow('ESRCH');
  const text = 'SELECT ended_at, end_reason FROM sessions WHERE id = $1';
  expect(await rows(database.url, text, [client.sessionId])).toEqual([
    { ended_at: expect.any(Date), end_reason: 'server_shutdown' },
  ]);
});
