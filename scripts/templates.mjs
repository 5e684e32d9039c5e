// Copies the examples that `session-launch init` writes out into the package of the service, which is installed without them.
// Runs before the package is packed.
import { cpSync, rmSync } from 'node:fs';

const templates = new URL('../server/templates/', import.meta.url);
rmSync(templates, { recursive: true, force: true });
for (const name of ['launch.html', 'backend-express', 'backend-fastify', 'static-page'])
  cpSync(new URL(`../examples/${name}`, import.meta.url), new URL(name, templates), { recursive: true });
