import { Server } from 'node:net';
import { until } from '@session-launch/testing/fleet.ts';
import { send } from '@session-launch/testing/http.ts';
import { createWorld, expectError, mintFromServer } from '@session-launch/testing/world.ts';
import { expect, test, vi } from 'vitest';
import { startService, useService } from '../harness/service.ts';

const service = useService();
const run = (text: string) => service.database.query('admin', { text });
const readiness = () => service.call({ path: '/readyz' });

test('the public listener is not ready before the admin listener is open', async () => {
  const { listen } = Server.prototype;
  const seen: unknown[] = [];
  const opened: Server[] = [];
  const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args) {
    const [first] = opened;
    opened.push(this);
    const open = () => Reflect.apply(listen, this, args) as Server;
    if (first === undefined) return open();
    const { port } = first.address() as { port: number };
    void send(`http://127.0.0.1:${port}`, { path: '/readyz' }).then(({ status, json }) => {
      seen.push([status, json.reason]);
      open();
    });
    return this;
  });
  const started = await startService({}, service).finally(() => spy.mockRestore());
  try {
    expect(seen).toEqual([[503, 'the service is starting']]);
    expect((await started.call({ path: '/readyz' })).status).toBe(200);
  } finally {
    await started.close();
  }
});

/** SQLSTATEs of a full disk, of insufficient memory, and of an I/O error. */
test.each(['53100', '53200', '58030'])(
  'a write refused with %s makes the service not ready, until a write would succeed',
  async (code) => {
    const world = await createWorld(service);
    const mint = () => mintFromServer(service, world.key, { experienceId: world.experienceId });
    expect((await mint()).status).toBe(201);
    expect((await readiness()).status).toBe(200);
    await run(`CREATE OR REPLACE FUNCTION refuse_session() RETURNS trigger LANGUAGE plpgsql AS
               $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`);
    await run(
      'CREATE TRIGGER refuse_session BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_session()',
    );

    expectError(await mint(), 503, 'UNAVAILABLE');
    const unready = await until('not ready', async () => {
      const answer = await readiness();
      return answer.status === 503 && answer;
    });
    // The service of this test has no runtime process attached, which is the state before one is started.
    expect(unready.json).toEqual({
      status: 'unavailable',
      reason: 'the database takes no writes',
      runtime: 'starting',
    });
    expect(unready.headers['retry-after']).toBe('1');
    expect((await service.call({ path: '/healthz' })).status).toBe(200);

    await run('DROP TRIGGER refuse_session ON sessions');
    const before = await run('SELECT id FROM sessions ORDER BY id');
    // Without mints: a load balancer sends no requests to a service that is not ready.
    await until('ready', async () => (await readiness()).status === 200);
    expect((await mint()).status).toBe(201);
    const after = await run('SELECT id FROM sessions ORDER BY id');
    expect(after).toHaveLength(before.length + 1);
  },
);
