import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { findWorkerd } from './find-workerd.ts';

/** The fetch server example as a worker; `/verify` returns the claims of a token. */
const program = `
  import { sessionTokenVerifier } from '@session-launch/backend/verify';
  import { createApp } from './app.js';

  let app;
  let verify;
  export default {
    async fetch(request, { launchUrl, launchKey, projectId }) {
      app ??= createApp({ launchUrl, launchKey, projectId, page: 'SDK: LAUNCH_URL' });
      verify ??= sessionTokenVerifier({ issuer: launchUrl });
      if (new URL(request.url).pathname !== '/verify') return app(request);
      const found = await verify(await request.text()).catch(({ code }) => ({ code }));
      return Response.json({ ...found, has: [typeof process, typeof Buffer, typeof document] });
    },
  };`;

/** Runs the worker in workerd on a free port until the test ends. */
export async function startWorker(bindings: Record<string, string>): Promise<string> {
  const workerd = findWorkerd();
  if (workerd === undefined) throw new Error('workerd does not start here');
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const { outputFiles } = await build({
    stdin: {
      contents: program,
      resolveDir: fileURLToPath(new URL('../../../examples/backend-fetch/', import.meta.url)),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
  });
  await writeFile(join(folder.path, 'worker.js'), outputFiles[0]?.text ?? '');
  await writeFile(join(folder.path, 'worker.capnp'), configuration(bindings));
  // workerd reports its port on file descriptor 3.
  const args = ['serve', '--control-fd=3', 'worker.capnp'];
  const child = spawn(workerd, args, { cwd: folder.path, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return `http://localhost:${await portOf(child)}`;
}

function configuration(bindings: Record<string, string>): string {
  const texts = Object.entries(bindings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "app", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      # Before workers had parts of Node.
      compatibilityDate = "2025-01-01",
      bindings = [${texts.join(', ')}],
    )),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "app")],
);
`;
}

async function portOf(child: ChildProcess): Promise<number> {
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const lines = createInterface({ input: child.stdio[3] as Readable });
  for await (const line of lines) {
    const { event, port } = JSON.parse(line);
    if (event === 'listen') return port;
  }
  throw new Error(`workerd did not start: ${output}`);
}
