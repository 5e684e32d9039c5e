import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../bin/session-launch.js', import.meta.url));
const typescript = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')));
let root: string;
/** A package that has already been started and built once. */
let built: string;

/** Creates a package whose only module prints a word. */
async function make(): Promise<void> {
  root = await mkdtemp(join(tmpdir(), 'session-launch-bin-'));
  await mkdir(join(root, 'bin'));
  await cp(launcher, join(root, 'bin', 'session-launch.js'));
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await configure({});
  await mkdir(join(root, 'src', 'cli'), { recursive: true });
  await source('cli/main.ts', says('one'));
  await mkdir(join(root, 'node_modules'));
  await symlink(typescript, join(root, 'node_modules', 'typescript'));
}

beforeAll(async () => {
  await make();
  built = root;
  await start();
});
beforeEach(make);
afterEach(() => rm(root, { recursive: true }));
afterAll(() => rm(built, { recursive: true }));

/** Replaces the package with a copy of `built`, to avoid a run of the compiler. */
async function startedBefore(): Promise<void> {
  await rm(root, { recursive: true });
  await cp(built, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

const options = {
  ...{ module: 'NodeNext', target: 'ES2022', types: [], rootDir: 'src', outDir: 'dist' },
  ...{ incremental: true, noEmitOnError: true, tsBuildInfoFile: 'dist/.tsbuildinfo' },
};

const configure = (more: object) =>
  writeFile(
    join(root, 'tsconfig.build.json'),
    JSON.stringify({ compilerOptions: options, include: ['src'], ...more }),
  );

const says = (word: string) =>
  `declare const console: { log(text: string): void };\nexport function main() { console.log('${word}'); }\n`;

let clock = 0;
/** Advances the modification time given to sources, so that it is later than every write and build so far. */
function tick(): void {
  clock = Math.max(clock, Date.now() / 1000) + 1;
}

async function source(path: string, text: string) {
  const file = join(root, 'src', path);
  await writeFile(file, text);
  tick();
  await utimes(file, clock, clock);
}

function start(): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'bin', 'session-launch.js')]);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

describe('the launcher', () => {
  it('builds only if the output is stale', async () => {
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: 'Building…\n' });
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
    await source('cli/main.ts', says('two'));
    expect(await start()).toEqual({ code: 0, stdout: 'two\n', stderr: 'Building…\n' });
    expect(await start()).toEqual({ code: 0, stdout: 'two\n', stderr: '' });
  });

  it('removes the output of a deleted source', async () => {
    await source('extra.ts', 'export const extra = 1;\n');
    await start();
    expect(await readdir(join(root, 'dist'))).toContain('extra.js');
    await rm(join(root, 'src', 'extra.ts'));
    tick();
    await utimes(join(root, 'src'), clock, clock);
    await start();
    expect((await readdir(join(root, 'dist'))).sort()).toEqual(['.tsbuildinfo', 'cli']);
  });

  it('builds once when several processes start together', async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, start));
    expect(outcomes.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
      outcomes.map(() => ({ code: 0, stdout: 'one\n' })),
    );
    expect(outcomes.map(({ stderr }) => stderr).join('')).toBe('Building…\n');
    expect((await readdir(root)).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  });

  it('starts after a build was killed', async () => {
    const killed = spawn(process.execPath, [join(root, 'bin', 'session-launch.js')]);
    await once(killed.stderr, 'data'); // "Building…": the lock is held
    killed.kill('SIGKILL');
    await once(killed, 'close');
    expect(await readdir(root)).toContain('dist.lock');
    expect(await start()).toMatchObject({ code: 0, stdout: 'one\n' });
    expect(await readdir(root)).not.toContain('dist.lock');
  });

  it('ignores a lock older than any build, whose process id may have been reused', async () => {
    const lock = join(root, 'dist.lock');
    await writeFile(lock, String(process.pid));
    await utimes(lock, 0, 0);
    expect(await start()).toMatchObject({ code: 0, stdout: 'one\n' });
  });

  it('exits with 1 if a source does not compile, and keeps the last build', async () => {
    await startedBefore();
    await source('cli/main.ts', 'export function main( {\n');
    const { code, stdout, stderr } = await start();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/src\/cli\/main\.ts.*error/);
    expect(stderr).toMatch(/\nsession-launch: the build failed: .*\n$/);
    expect(await readdir(join(root, 'dist', 'cli'))).toEqual(['main.js']);
    expect(await readFile(join(root, 'dist', 'cli', 'main.js'), 'utf8')).toContain("'one'");
    await source('cli/main.ts', says('two'));
    expect(await start()).toEqual({ code: 0, stdout: 'two\n', stderr: 'Building…\n' });
  });

  it('rebuilds deleted output', async () => {
    await startedBefore();
    await rm(join(root, 'dist', 'cli'), { recursive: true });
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: 'Building…\n' });
  });

  it('does not rebuild for a source with a newer time and the same text', async () => {
    await startedBefore();
    await source('cli/main.ts', says('one'));
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
  });

  it('builds referenced packages', async () => {
    const contract = join(root, 'contract');
    await mkdir(contract);
    await writeFile(join(contract, 'package.json'), '{"type":"module"}');
    const compilerOptions = { ...options, composite: true, rootDir: '.', outDir: 'dist' };
    await writeFile(join(contract, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['word.ts'] }));
    await source('../contract/word.ts', "export const word = 'one';\n");
    await configure({ references: [{ path: 'contract' }] });
    const main = `declare const console: { log(text: string): void };
      import { word } from '../../contract/dist/word.js';
      export function main() { console.log(word); }`;
    await source('cli/main.ts', main);
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: 'Building…\n' });
    await source('../contract/word.ts', "export const word = 'two';\n");
    expect(await start()).toEqual({ code: 0, stdout: 'two\n', stderr: 'Building…\n' });
    expect(await start()).toEqual({ code: 0, stdout: 'two\n', stderr: '' });
  });

  it('runs the existing build without TypeScript, or fails with instructions', async () => {
    await startedBefore();
    await source('cli/main.ts', says('two'));
    await rm(join(root, 'node_modules'), { recursive: true });
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
    await rm(join(root, 'dist'), { recursive: true });
    expect(await start()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^session-launch: dist\/ is missing .*npm ci.*\n$/),
    });
  });

  it('runs an installed package, which has no sources, without building', async () => {
    await startedBefore();
    await rm(join(root, 'src'), { recursive: true });
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
  });
});
