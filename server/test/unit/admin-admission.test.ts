import { once } from 'node:events';
import { openConnection } from '@session-launch/testing/raw-http.ts';
import pino from 'pino';
import { expect, test } from 'vitest';
import { AdminAdmission } from '../../src/admin/admission.ts';
import { requesterOf } from '../../src/admin/requester.ts';
import { setActor } from '../../src/audit/actor.ts';
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
