import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClone } from '@session-launch/testing/cloned-database.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { adminToken, runtimeToken } from '@session-launch/testing/target.ts';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';

/** Bundles the worker thread that parses project files into one file, for services that run from the sources inside vitest workers. */
async function bundleFileThread(folder: string): Promise<void> {
  const outfile = join(folder, 'file-thread.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../../src/documents/file-thread.js', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['source'],
    // The main entry of jsonc-parser is UMD; esbuild does not detect its `require` calls.
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  process.env.FILE_THREAD = outfile;
}

/** Prints what the services logged: warnings and errors. */
function printLogs(engine: string, services: ServiceProcess[]): void {
  services.forEach((service, n) => {
    process.stderr.write(`\nlog of acceptance service ${n + 1} (${engine}):\n${service.stderr()}`);
  });
}

/** Starts the services of the acceptance tests: at most one process per vitest worker and per core, on the engine of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const { engine, dataFolder, postgresUrl } = project.getProvidedContext();
  const start = async (n: number) => {
    const DATA_DIR = join(folder.path, String(n));
    if (engine === 'embedded') await prepareDataFolder(DATA_DIR, dataFolder);
    const database = engine === 'postgres' ? { DATABASE_URL: (await createClone(postgresUrl)).url } : {};
    return startProcess({ DATA_DIR, ...database }, folder.path);
  };
  await bundleFileThread(folder.path);
  const services = await Promise.all(
    Array.from({ length: Math.min(project.vitest.config.maxWorkers, availableParallelism()) }, (_, n) =>
      start(n),
    ),
  );
  project.provide(
    'deployments',
    services.map(({ url, adminUrl }) => ({ url, adminUrl, adminToken, runtimeToken })),
  );
  return async () => {
    if (project.vitest.state.getCountOfFailedTests() > 0) printLogs(engine, services);
    await Promise.all(services.map((service) => service.kill('SIGKILL')));
    await folder.remove();
  };
}
