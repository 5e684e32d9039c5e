// Copies the examples that the service needs into its package, which is installed without them: the demo with its art, and what
// `session-launch init` writes out. Runs before the package is packed.
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
