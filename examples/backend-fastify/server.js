// A Fastify application whose page gets its sessions through a relay. Run it with:
// LAUNCH_URL=http://127.0.0.1:8080 LAUNCH_KEY=sl_test_… node server.js
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRelay, SessionLaunch, toFastify } from '@session-launch/backend';
import fastify from 'fastify';

const { LAUNCH_URL, LAUNCH_KEY, LAUNCH_PROJECT = 'prj_demo', PORT = '3000' } = process.env;
const client = new SessionLaunch({ baseUrl: LAUNCH_URL, apiKey: LAUNCH_KEY });

/** Returns the visitor's id from the cookie that was set with the page. Replace it with your own sign-in. */
function visitorOf(headers) {
  return /(?:^|; )visitor=([\w-]+)/.exec(headers.get('cookie') ?? '')?.[1];
}

const relay = createRelay(client, {
  authorize: (request) => {
    const visitor = visitorOf(request.headers);
    return visitor === undefined ? null : { userId: visitor };
  },
  projectId: LAUNCH_PROJECT,
});

const page = await readFile(new URL('../launch.html', import.meta.url), 'utf8');
const app = fastify();
app.get('/', (_request, reply) =>
  reply
    .type('text/html')
    .header('Set-Cookie', `visitor=${randomUUID()}; HttpOnly; SameSite=Lax`)
    .send(page.replaceAll('LAUNCH_URL', LAUNCH_URL)),
);
// All methods: the relay answers preflights itself (see its option `origins`), and other methods with 405.
app.all('/api/catalog', toFastify(relay.catalog));
app.all('/api/launch', toFastify(relay.mint));
app.all('/api/leave', toFastify(relay.end));

await app.listen({ port: Number(PORT), host: 'localhost' });
console.log(`Open http://localhost:${app.server.address().port}/`);
