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
  // Packed as npm publishes it.
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

test('all files that a page loads stay within their size budget', async () => {
  const whole = gzipped(await built('session-launch.js'));
  const worklet = gzipped(await built('worklet.js'));
  expect(worklet).toBeLessThan(1000);
  expect(whole + worklet).toBeLessThan(28_000);
  // Loaded only for faces with a rig of version 2.
  expect(gzipped(await built('picture.mjs'))).toBeLessThan(12_000);
});

test('LiveKit’s client is only in its own file', async () => {
  const other = ['session-launch.js', 'session-launch.mjs'];
  for (const name of other) expect((await built(name)).toString()).not.toContain('lk.transcription');
  const chunk = await built('livekit.mjs');
  expect(chunk.toString()).toContain('lk.transcription');
  expect(gzipped(chunk)).toBeLessThan(160_000);
});

/** Bundles code that imports the installed package. */
async function bundled(contents: string): Promise<Uint8Array> {
  const { outputFiles } = await bundle({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]!.contents;
}

test('the code for compressed audio is loaded separately, and stays within its size budget', async () => {
  expect(gzipped(await built('opus.js'))).toBeLessThan(1600);
});

test('the entry /core stays within its size budget, without the player, the elements and the renderers', async () => {
  const core = await bundled(`export * from '@session-launch/browser/core';`);
  expect(gzipped(core)).toBeLessThan(12_300);
  const text = Buffer.from(core).toString();
  expect(text).not.toMatch(/session-launch-player|customElements|aria-|adoptedStyleSheets/);
  const speech = await bundled(`export * from '@session-launch/browser/page-speech';`);
  expect(gzipped(speech)).toBeLessThan(2000);
});

test('the entries share the registry and the error class', async () => {
  const script = `
    import * as sdk from '@session-launch/browser';
    import * as core from '@session-launch/browser/core';
    import { pageSpeech } from '@session-launch/browser/page-speech';
    const experience = core.createExperience({ experienceId: 'exp_a', baseUrl: 'https://launch.example.com', pageSpeech });
    const attached = (() => { try { experience.attach('#here'); } catch (error) { return [error.name, error.message]; } })();
    console.log(JSON.stringify({ isShared: sdk.ExperienceError === core.ExperienceError && sdk.register === core.register,
      attached, state: experience.state, names: Object.keys(core) }));`;
  await writeFile(join(folder, 'both.mjs'), script);
  const { stdout } = await run(process.execPath, ['both.mjs'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({
    isShared: true,
    attached: ['TypeError', expect.stringContaining('@session-launch/browser')],
    state: 'idle',
    names: ['ExperienceError', 'createExperience', 'launch', 'register', 'version'],
  });
});

test('all files have one version, and the hashes match the files', async () => {
  const { version: packaged } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(version).toBe(packaged);
  const integrity = JSON.parse((await built('integrity.json')).toString());
  expect(integrity.version).toBe(version);
  for (const name of [
    'session-launch.js',
    'session-launch.mjs',
    'worklet.js',
    'opus.js',
    'picture.mjs',
    'livekit.mjs',
  ]) {
    const hash = createHash('sha384')
      .update(await built(name))
      .digest('base64');
    expect(integrity.files[name]).toBe(`sha384-${hash}`);
  }
});

test('the files contain no eval, and need no policy that allows it', async () => {
  const text = (await built('session-launch.js')).toString();
  expect(text).not.toMatch(
    /\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|blob:[^"']*['"]\)|localStorage|document\.cookie/,
  );
});

test.each(['browser', 'browser/core'])(
  'importing @session-launch/%s in an empty folder has no side effects',
  async (entry) => {
    const script = `
    const before = Reflect.ownKeys(globalThis);
    const touched = [];
    for (const name of ['document', 'window', 'navigator', 'AudioContext', 'WebSocket', 'customElements', 'HTMLElement']) {
      const old = Object.getOwnPropertyDescriptor(globalThis, name);
      Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); return old?.get ? old.get.call(globalThis) : old?.value; } });
    }
    const sdk = await import('@session-launch/${entry}');
    const atImport = [...touched];
    sdk.defineElements?.();
    const experience = sdk.createExperience({ experienceId: 'exp_a', baseUrl: 'https://launch.example.com' });
    const code = await experience.start().catch((error) => error.code);
    console.log(JSON.stringify({ atImport, code, state: experience.state, version: sdk.version }));`;
    await writeFile(join(folder, 'import.mjs'), script);
    const { stdout } = await run(process.execPath, ['import.mjs'], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ atImport: [], code: 'NOT_A_BROWSER', state: 'idle', version });
  },
);

test.each([
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'Bundler'],
])('its types compile without other packages (%s, %s)', async (module, moduleResolution) => {
  await writeFile(
    join(folder, 'page.ts'),
    `import { createExperience, ExperienceError, launch, type Message, type PlayerOptions } from '@session-launch/browser';
    import { createExperience as createCore, type CoreOptions } from '@session-launch/browser/core';
    import { pageSpeech } from '@session-launch/browser/page-speech';
    import '@session-launch/browser/session-launch.js';
    import type {} from '@session-launch/browser/worklet.js';
    SessionLaunch?.launch satisfies typeof launch | undefined;
    const experience = createExperience({ experienceId: 'exp_a', door: 'public', locale: 'de' });
    experience.on('modeChange', (mode) => mode satisfies 'listening' | 'speaking' | 'thinking');
    experience.on('message', (message: Message) => message.status === 'final');
    experience.on('error', (error) => error instanceof ExperienceError && error.code === 'NETWORK');
    const coreOptions: CoreOptions = { experienceId: 'exp_a', pageSpeech };
    createCore(coreOptions) satisfies typeof experience;
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

test('a bundler removes unused parts', async () => {
  const used = `import { assetUrl } from '@session-launch/browser'; console.log(assetUrl('/a', { baseUrl: 'b' }));`;
  expect((await bundled(used)).length).toBeLessThan(2000);
});
