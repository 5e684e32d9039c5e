import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build as bundle } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, buildTypes, isStale } from '../build.mjs';
import { version } from '../src/version.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const built = (name: string) => readFile(join(root, 'dist', name));
const gzipped = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).length;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-launch-sdk-'));
  if (isStale()) await build();
  buildTypes();
  // As somebody else would get it.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const [{ filename }] = JSON.parse(stdout);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], {
    cwd: folder,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('everything that a page loads stays within its budget', async () => {
  const whole = gzipped(await built('session-launch.js'));
  const worklet = gzipped(await built('worklet.js'));
  // What `createExperience` hands to it is not the core: the player with its faces, and the browser's own voice and ears.
  const core = await bundle({
    stdin: {
      contents: `export { LiveExperience } from './src/core/experience.ts'; export { check } from './src/core/options.ts';
        export { browserEnvironment } from './src/core/environment.ts';`,
      resolveDir: root,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  expect(gzipped(core.outputFiles[0]!.contents)).toBeLessThan(12_000);
  expect(worklet).toBeLessThan(1000);
  expect(whole + worklet).toBeLessThan(28_000);
});

test('the version is one, and the hashes are of the files', async () => {
  const { version: packaged } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(version).toBe(packaged);
  const integrity = JSON.parse((await built('integrity.json')).toString());
  expect(integrity.version).toBe(version);
  for (const name of ['session-launch.js', 'session-launch.mjs', 'worklet.js']) {
    const hash = createHash('sha384')
      .update(await built(name))
      .digest('base64');
    expect(integrity.files[name]).toBe(`sha384-${hash}`);
  }
});

test('nothing in it evaluates text, or needs a policy that allows it', async () => {
  const text = (await built('session-launch.js')).toString();
  expect(text).not.toMatch(
    /\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|blob:[^"']*['"]\)|localStorage|document\.cookie/,
  );
});

test('installed in an empty folder, importing it touches nothing', async () => {
  const script = `
    const before = Reflect.ownKeys(globalThis);
    const touched = [];
    for (const name of ['document', 'window', 'navigator', 'AudioContext', 'WebSocket', 'customElements', 'HTMLElement']) {
      const old = Object.getOwnPropertyDescriptor(globalThis, name);
      Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); return old?.get ? old.get.call(globalThis) : old?.value; } });
    }
    const sdk = await import('@session-launch/browser');
    const atImport = [...touched];
    sdk.defineElements();
    const experience = sdk.createExperience({ experienceId: 'exp_a', baseUrl: 'https://launch.example.com' });
    const code = await experience.start().catch((error) => error.code);
    console.log(JSON.stringify({ atImport, code, state: experience.state, version: sdk.version }));`;
  await writeFile(join(folder, 'import.mjs'), script);
  const { stdout } = await run(process.execPath, ['import.mjs'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({ atImport: [], code: 'NOT_A_BROWSER', state: 'idle', version });
});

test.each([
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'Bundler'],
])('its types stand alone (%s, %s)', async (module, moduleResolution) => {
  await writeFile(
    join(folder, 'page.ts'),
    `import { createExperience, ExperienceError, launch, type Message, type PlayerOptions } from '@session-launch/browser';
    import '@session-launch/browser/session-launch.js';
    import type {} from '@session-launch/browser/worklet.js';
    SessionLaunch?.launch satisfies typeof launch | undefined;
    const experience = createExperience({ experienceId: 'exp_a', door: 'public', locale: 'de' });
    experience.on('modeChange', (mode) => mode satisfies 'listening' | 'speaking' | 'thinking');
    experience.on('message', (message: Message) => message.status === 'final');
    experience.on('error', (error) => error instanceof ExperienceError && error.code === 'NETWORK');
    const options: PlayerOptions = { startButton: { label: 'Go' }, fit: 'cover' };
    experience.attach('#here', options).detach();
    // @ts-expect-error close is no event
    experience.on('close', () => {});
    // @ts-expect-error a source is missing
    launch({ locale: 'de' });`,
  );
  const config = {
    compilerOptions: {
      module,
      moduleResolution,
      target: 'ES2022',
      lib: ['ES2023', 'DOM'],
      strict: true,
      noEmit: true,
      types: [],
    },
    files: ['page.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error);
  expect(stdout).toBe('');
});

test('a bundler drops what a page does not use', async () => {
  const { outputFiles } = await bundle({
    stdin: {
      contents: `import { assetUrl } from '@session-launch/browser'; console.log(assetUrl('/a', { baseUrl: 'b' }));`,
      resolveDir: folder,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  expect(outputFiles[0]!.contents.length).toBeLessThan(2000);
});
