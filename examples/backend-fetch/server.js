// Runs the application of app.js on Node:
// LAUNCH_URL=http://127.0.0.1:8080 LAUNCH_KEY=sl_test_… node server.js
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { toNode } from '@session-launch/backend';
import { createApp } from './app.js';

const { LAUNCH_URL, LAUNCH_KEY, LAUNCH_PROJECT = 'prj_demo', PORT = '3000' } = process.env;
const app = createApp({
  launchUrl: LAUNCH_URL,
  launchKey: LAUNCH_KEY,
  projectId: LAUNCH_PROJECT,
  page: await readFile(new URL('../launch.html', import.meta.url), 'utf8'),
});

const server = createServer(toNode(app)).listen(Number(PORT), 'localhost', () => {
  console.log(`Open http://localhost:${server.address().port}/`);
});
