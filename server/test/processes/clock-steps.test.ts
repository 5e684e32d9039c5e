import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { postgresFleet, processFolder, until, untilReady } from '@session-launch/testing/fleet.ts';
import { connect, launched, report } from '@session-launch/testing/lifecycle.ts';
import { logLines, type ServiceProcess } from '@session-launch/testing/process.ts';
import {
  createWorld,
  expectError,
  mintFromBrowser,
  mintFromServer,
  type World,
} from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { asConsole, signedIn } from '../harness/operators.ts';

const cleanup = useCleanup();
const preload = fileURLToPath(new URL('../harness/stepped-clock.cjs', import.meta.url));
const dayMs = 86_400_000;

type Engine = 'embedded' | 'PostgreSQL';

/**
 * A service whose system time can be stepped. The embedded engine runs in a thread of the process, so its clock steps, too; that of
 * PostgreSQL does not.
 */
async function startStepped(engine: Engine) {
  const { path, start } = await processFolder(cleanup);
  const file = join(path, 'step');
  const step = async (ms: number) => {
    await writeFile(`${file}.new`, String(ms));
    // Never read half-written.
    await rename(`${file}.new`, file);
    // The preload rereads it every 20 ms.
    await setTimeout(50);
  };
  await step(0);
  const env = { NODE_OPTIONS: `--require=${preload}`, CLOCK_STEP_FILE: file, LOG_LEVEL: 'info' };
  const service =
    engine === 'embedded'
      ? await start({ ...env, DATA_DIR: await prepareDataFolder(join(path, 'data')) })
      : await (await postgresFleet(cleanup)).start(env);
  return { service, step };
}

/** Mints a session and waits until housekeeping has written the counts for the overview. */
async function housekept(service: ServiceProcess, world: World): Promise<void> {
  const mints = async () => {
    const path = `/admin/projects/${world.projectId}/overview?window=7d`;
    return (await service.admin({ path })).json.mints as number;
  };
  const before = await mints();
  await launched(service, world);
  await until('housekeeping has run', async () => (await mints()) > before);
}

const claimsOf = (token: string): { iat: number; exp: number } =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

const cases: [engine: Engine, name: string, days: number][] = [
  ['embedded', 'forward', 1],
  ['embedded', 'back', -1],
  ['PostgreSQL', 'forward', 1],
  ['PostgreSQL', 'back', -1],
];

test.each(cases)(
  'on %s, a step of the clock by a day %s leaves the service working',
  async (engine, _, days) => {
    const { service, step } = await startStepped(engine);
    const isEmbedded = engine === 'embedded';
    const world = await createWorld(service, { project: { limits: { sessionsPerDay: 100 } } });
    const limited = await createWorld(service, { project: { limits: { mintsPerMinute: 1 } } });
    const { projectId, experienceId, key } = world;
    const again = { 'Idempotency-Key': 'before the step' };
    const body = { experienceId };
    const first = await mintFromServer(service, key, body, again);
    expect(first.status).toBe(201);
    const talking = await launched(service, world);
    expect((await connect(service, talking)).status).toBe(200);
    const unused = await launched(service, world);
    const cookie = await signedIn(service);
    expect((await mintFromBrowser(service, body)).status).toBe(201);
    const mintLimited = () => mintFromBrowser(service, { experienceId: limited.experienceId });
    expect((await mintLimited()).status).toBe(201);
    expectError(await mintLimited(), 429, 'RATE_LIMITED');
    await housekept(service, world);

    const steppedAt = performance.now();
    await step(days * dayMs);

    // A new session: its token has the time after the step, and starts it.
    const fresh = await launched(service, world);
    const { iat, exp } = claimsOf(fresh.sessionToken);
    expect(Math.abs(iat * 1000 - (Date.now() + days * dayMs))).toBeLessThan(60_000);
    expect(exp).toBeGreaterThan(iat);
    expect(await connect(service, fresh)).toMatchObject({ status: 200 });

    // A token from before the step expires with it, and is valid after a step back.
    const late = await connect(service, unused);
    if (days > 0) expectError(late, 401, 'SESSION_TOKEN_INVALID');
    else expect(late.status, late.text).toBe(200);

    // A window is never longer than a minute by the monotonic clock.
    const limitedNow = await mintLimited();
    if (performance.now() - steppedAt < 30_000 && limitedNow.status === 429)
      expect(Number(limitedNow.headers['retry-after'])).toBeLessThanOrEqual(60);
    else expect([201, 429]).toContain(limitedNow.status);

    // Logins end after twelve hours by the clock; the console can sign in again.
    const me = () => asConsole(service, cookie, { path: '/admin/me' });
    if (days > 0) expectError(await me(), 401, 'ADMIN_TOKEN_INVALID');
    else expect((await me()).status).toBe(200);
    const renewed = await signedIn(service);
    expect((await asConsole(service, renewed, { path: '/admin/me' })).status).toBe(200);

    // Housekeeping goes on, and ends no session whose runtime reports.
    const said = { sessionId: talking.sessionId, seconds: 3 };
    expect((await report(service, [said])).json).toMatchObject({ end: [] });
    await housekept(service, world);
    expect((await report(service, [said])).json).toMatchObject({ end: [] });

    // A replay is possible for a day by the clock of the database.
    const replay = await mintFromServer(service, key, body, again);
    const isForgotten = isEmbedded && days > 0;
    if (isForgotten)
      expect([replay.status, replay.json.session.sessionId === first.json.session.sessionId]).toEqual([
        201,
        false,
      ]);
    else expect(replay.text).toBe(first.text);

    // Each session is counted once, on the day of its mint.
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const path = `/admin/projects/${projectId}/usage?from=${day(Date.now() - 2 * dayMs)}&to=${day(Date.now() + 2 * dayMs)}`;
    const { json } = await service.admin({ path });
    const total = json.days.reduce((sum: number, { sessions }: { sessions: number }) => sum + sessions, 0);
    // Besides the mints above, one for each look at housekeeping.
    expect(total).toBe((isForgotten ? 6 : 5) + 2);

    // Back to the time before: everything works as well.
    await step(0);
    expect(await connect(service, await launched(service, world))).toMatchObject({ status: 200 });
    expect((await mintFromBrowser(service, body)).status).toBe(201);
    await housekept(service, world);
    await untilReady(service);
    expect(logLines(service).filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  },
);
