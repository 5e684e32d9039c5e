import { builtinModules } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const service = deployedService();

/** Globals that are also available in runtimes other than Node. */
const webGlobals = {
  AbortController,
  AbortSignal,
  crypto,
  fetch,
  Headers,
  performance,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
  btoa,
  setTimeout,
  clearTimeout,
  console,
  structuredClone,
  // From this realm: the results of fetch and crypto are checked with `instanceof`.
  Uint8Array,
  ArrayBuffer,
};

/** Bundles the package with its imports as for a worker. Fails on modules that only Node has. */
async function bundled(entry: string) {
  const result = await build({
    entryPoints: [new URL(`../dist/${entry}`, import.meta.url).pathname],
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'neutral',
    conditions: ['workerd', 'worker'],
    logLevel: 'silent',
  });
  return { code: result.outputFiles[0]?.text ?? '', inputs: Object.values(result.metafile.inputs) };
}

test.each(['index.js', 'verify.js'])('%s imports no Node module', async (entry) => {
  const { inputs } = await bundled(entry);
  const imported = inputs.flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((path) => path.startsWith('node:') || builtinModules.includes(path))).toEqual([]);
});

test('jose is loaded only for verification', async () => {
  const { metafile } = await build({
    entryPoints: [new URL('../dist/index.js', import.meta.url).pathname],
    bundle: true,
    write: false,
    metafile: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    outdir: 'unused',
  });
  const output = Object.values(metafile.outputs).find(({ entryPoint }) =>
    entryPoint?.endsWith('dist/index.js'),
  );
  expect(Object.keys(output?.inputs ?? {}).length).toBeGreaterThan(5);
  expect(Object.keys(output?.inputs ?? {}).filter((path) => path.includes('jose'))).toEqual([]);
});

test('mints, relays and ends without process and Buffer', async () => {
  const world = await createWorld(service);
  const { code } = await bundled('index.js');
  const context = createContext({
    ...webGlobals,
    input: { url: service.url, key: world.key, id: world.experienceId },
  });
  const program = `${code};
    (async () => {
      const { SessionLaunch, createRelay } = bundle;
      const client = new SessionLaunch({ baseUrl: input.url, apiKey: input.key });
      const relay = createRelay(client, { authorize: () => ({ userId: 'ann' }) });
      const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
      const post = (body) => new Request('https://app.example/x', { method: 'POST', headers, body });
      const minted = await relay.mint(post(JSON.stringify({ experienceId: input.id })));
      const launch = await minted.json();
      const ended = await relay.end(post(launch.sessionToken));
      const session = await client.sessions.get(launch.sessionId);
      return JSON.stringify([typeof process, typeof Buffer, minted.status, ended.status, session.status]);
    })()`;
  expect(JSON.parse(await runInContext(program, context))).toEqual([
    'undefined',
    'undefined',
    200,
    204,
    'ended',
  ]);
});
