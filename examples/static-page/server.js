// Serves the files of public/. The page creates its sessions itself, so any static web server can be used instead.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const types = {
  '/index.html': 'text/html; charset=utf-8',
  '/page.js': 'text/javascript',
  '/config.js': 'text/javascript',
};

const server = createServer(async (request, response) => {
  const path = request.url === '/' ? '/index.html' : request.url;
  const type = types[path];
  if (type === undefined) return response.writeHead(404).end('Not found');
  response
    .writeHead(200, { 'Content-Type': type })
    .end(await readFile(new URL(`public${path}`, import.meta.url)));
}).listen(Number(process.env.PORT ?? '5173'), 'localhost', () => {
  console.log(`Open http://localhost:${server.address().port}/`);
});
