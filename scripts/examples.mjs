// Copies the examples that the service needs at run time into its package: the demo with its assets, and the templates of `session-launch
// init`. Runs before the package is packed.
import { cpSync, rmSync } from 'node:fs';

const copies = new URL('../server/examples/', import.meta.url);
rmSync(copies, { recursive: true, force: true });
for (const name of [
  'demo.yaml',
  'assets',
  'launch.html',
  'backend-express',
  'backend-fastify',
  'static-page',
])
  cpSync(new URL(`../examples/${name}`, import.meta.url), new URL(name, copies), { recursive: true });
