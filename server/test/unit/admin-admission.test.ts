import { once } from 'node:events';
import { request } from 'node:http';
import { openConnection } from '@session-launch/testing/raw-http.ts';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { AdminAdmission } from '../../src/admin/admission.ts';
import { requesterOf } from '../../src/admin/requester.ts';
import { setActor } from '../../src/audit/actor.ts';
import { bufferBodies } from '../../src/http/bodies/buffered-body.ts';
import { createServer } from '../../src/http/listener/server.ts';
import { bootstrap } from '../../src/operators/operators.ts';

const actor = { ...bootstrap, via: 'token' as const, address: '127.0.0.1', requestId: 'req_a' };
const body = '{"name":"A"}';
const requests = {
  'without a body': 'GET /admin/things HTTP/1.1\r\nHost: service\r\n\r\n',
  'with a body': `POST /admin/things HTTP/1.1\r\nHost: service\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
};

test.each(Object.entries(requests))(
  'a client that disconnects during its authentication leaves no request in flight: %s',
  async (_kind, wire) => {
    const admission = new AdminAdmission();
    const app = createServer(pino({ level: 'silent' }));
    let handled = 0;
    app.addHook('onRequest', async (request, reply) => {
      const left = once(reply.raw, 'close');
      socket.destroy();
      await left;
      setActor(request, actor);
    });
    const ended = new Promise<void>((resolve) => {
      app.addHook('onSend', async () => resolve());
    });
    await app.register(async (scope) => {
      admission.limit(scope);
      const handler = async () => ({ handled: ++handled });
      scope.route({ method: ['GET', 'POST'], url: '/admin/things', handler });
    });
    const { socket } = openConnection(await app.listen({ port: 0, host: '127.0.0.1' }));
    socket.write(wire);
    await ended;
    await app.close();
    expect({ inFlight: admission.inFlight, handled }).toEqual({ inFlight: 0, handled: 0 });
  },
);

test('the document of a client that has disconnected is not processed', () => {
  const reply = { raw: { destroyed: true, once: () => undefined } };
  const { signal } = requesterOf({ actor, reply } as unknown as Parameters<typeof requesterOf>[0]);
  expect(signal?.aborted).toBe(true);
});

/** A server whose handlers wait until they are ended. The operator is named by the path. */
async function serving(maxWaitMs?: number) {
  const admission = new AdminAdmission(maxWaitMs);
  const app = createServer(pino({ level: 'silent' }));
  const running = new Map<string, () => void>();
  const path = ({ url }: { url: string }) => url.slice(1);
  app.addHook('onRequest', async (request) => {
    setActor(request, { ...actor, operatorId: path(request).charAt(0) });
  });
  await app.register(async (scope) => {
    admission.limit(scope);
    bufferBodies(scope, 4);
    scope.post('/:name', async () => ({}));
    scope.get('/:name', async (request) => {
      await new Promise<void>((resolve) => running.set(path(request), resolve));
      return {};
    });
  });
  onTestFinished(async () => {
    for (const end of running.values()) end();
    await app.close();
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const ask = async (name: string, signal?: AbortSignal) =>
    (await fetch(`${url}/${name}`, { ...(signal && { signal }) })).status;
  /** Begins a request with a body of this size, or of unknown size, which never arrives. */
  const upload = (name: string, size?: number) => {
    const headers = size === undefined ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': size };
    const sent = request(`${url}/${name}`, { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined).flushHeaders();
    const status = new Promise<number | undefined>((resolve) => {
      sent
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('close', () => resolve(undefined));
    });
    onTestFinished(() => void sent.destroy());
    return { status, abort: () => sent.destroy() };
  };
  const started = () => [...running.keys()].sort();
  const end = (name: string) => running.get(name)!();
  return { admission, ask, upload, started, end };
}

test('four requests of one operator run at the same time; another operator does not wait for the others', async () => {
  const { admission, ask, started, end } = await serving();
  const own = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name));
  await expect.poll(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  const fifth = ask('a5');
  await expect.poll(() => admission.inFlight).toBe(5);
  const sixth = ask('a6');
  await expect.poll(() => admission.inFlight).toBe(6);
  const others = ask('b1');
  await expect.poll(started).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  end('a2');
  await expect.poll(started).toContain('a5');
  expect(started()).not.toContain('a6');
  end('a5');
  await expect.poll(started).toContain('a6');
  for (const name of ['a1', 'a3', 'a4', 'a6', 'b1']) end(name);
  expect(await Promise.all([...own, fifth, sixth, others])).toEqual(Array(7).fill(200));
  expect(admission.inFlight).toBe(0);
});

test('a request whose client disconnects while it waits never runs, and the one behind it does', async () => {
  const { admission, ask, started, end } = await serving();
  const own = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name));
  await expect.poll(started).toHaveLength(4);
  const client = new AbortController();
  const left = ask('a5', client.signal).catch((error: Error) => error.name);
  await expect.poll(() => admission.inFlight).toBe(5);
  const last = ask('a6');
  await expect.poll(() => admission.inFlight).toBe(6);
  client.abort();
  expect(await left).toBe('AbortError');
  await expect.poll(() => admission.inFlight).toBe(5);
  end('a1');
  await expect.poll(started).toContain('a6');
  expect(started()).not.toContain('a5');
  for (const name of ['a2', 'a3', 'a4', 'a6']) end(name);
  expect(await Promise.all([...own, last])).toEqual(Array(5).fill(200));
  expect(admission.inFlight).toBe(0);
});

test('a request that waits too long for the others of its operator returns 503 and never runs', async () => {
  const { admission, ask, started, end } = await serving(50);
  const own = ['a1', 'a2', 'a3', 'a4'].map((name) => ask(name));
  await expect.poll(started).toHaveLength(4);
  expect(await ask('a5')).toBe(503);
  for (const name of ['a1', 'a2', 'a3', 'a4']) end(name);
  expect(await Promise.all(own)).toEqual(Array(4).fill(200));
  expect(started()).not.toContain('a5');
  expect(admission.inFlight).toBe(0);
});

test('the bodies of the requests in flight are limited to 32 MiB for one operator and to 64 MiB in total', async () => {
  const { admission, ask, upload, started, end } = await serving();
  const mebibyte = 1024 * 1024;
  const admitted = [];
  // Of a body in chunks, at most 16 MiB are read.
  for (const [name, size] of [['a1', 16 * mebibyte], ['a2'], ['b1', 15 * mebibyte], ['b2']] as const) {
    admitted.push(upload(name, size));
    await expect.poll(() => admission.inFlight).toBe(admitted.length);
  }
  expect(await upload('a3', 1).status).toBe(429);
  expect(await upload('b3', mebibyte + 1).status).toBe(429);
  expect(await upload('c1', mebibyte + 1).status).toBe(503);
  const inTotal = upload('c2', mebibyte);
  await expect.poll(() => admission.inFlight).toBe(5);
  expect(await upload('c3', 1).status).toBe(503);
  // Requests without a body are not affected.
  const reading = ask('a4');
  await expect.poll(started).toEqual(['a4']);
  end('a4');
  expect(await reading).toBe(200);
  for (const { abort } of [...admitted, inTotal]) abort();
  await expect.poll(() => admission.inFlight).toBe(0);
  upload('a5', 16 * mebibyte);
  await expect.poll(() => admission.inFlight).toBe(1);
});
