// A gallery that caches the catalog of a project and creates sessions through a relay. Run it with:
// LAUNCH_URL=http://127.0.0.1:8080 LAUNCH_KEY=sl_test_… node server.js
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRelay, SessionLaunch, toNode } from '@session-launch/backend';
import { createMirror } from './mirror.js';
import { galleryPage, talkPage } from './pages.js';

const { LAUNCH_URL, LAUNCH_KEY, LAUNCH_PROJECT = 'prj_demo', PORT = '3000' } = process.env;
const client = new SessionLaunch({ baseUrl: LAUNCH_URL, apiKey: LAUNCH_KEY });
const catalog = createMirror(client, LAUNCH_PROJECT, (text) => console.log(`catalog: ${text}`));
const style = await readFile(new URL('gallery.css', import.meta.url), 'utf8');

const relay = createRelay(client, {
  authorize: (request) => {
    // The cookie that was set with the page identifies the visitor. Replace it with your own sign-in.
    const visitor = /(?:^|; )visitor=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1];
    return visitor === undefined ? null : { userId: visitor };
  },
});

/** Returns the status, media type and body of the response to a path. */
async function show(path) {
  if (path === '/gallery.css') return [200, 'text/css', style];
  const experiences = await catalog();
  if (path === '/') return [200, 'text/html', galleryPage(LAUNCH_URL, experiences)];
  const chosen = experiences.find(({ slug }) => path === `/talk/${slug}`);
  return chosen ? [200, 'text/html', talkPage(LAUNCH_URL, chosen)] : [404, 'text/plain', 'Not found'];
}

const relayed = { '/api/launch': toNode(relay.mint), '/api/leave': toNode(relay.end) };
const server = createServer(async (request, response) => {
  if (request.url in relayed) return relayed[request.url](request, response);
  const [status, type, text] = await show(request.url).catch((error) => [503, 'text/plain', error.message]);
  const isKnown = /(?:^|; )visitor=/.test(request.headers.cookie ?? '');
  response
    .writeHead(status, {
      'Content-Type': `${type}; charset=utf-8`,
      ...(isKnown ? {} : { 'Set-Cookie': `visitor=${randomUUID()}; Path=/; HttpOnly; SameSite=Lax` }),
    })
    .end(text);
}).listen(Number(PORT), 'localhost', () => {
  console.log(`Open http://localhost:${server.address().port}/`);
});
