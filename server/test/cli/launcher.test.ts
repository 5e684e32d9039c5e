import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const launcher = fileURLToPath(new URL('../../bin/session-launch.js', import.meta.url));
const typescript = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')));
let root: string;
/** What a first start leaves. */
let built: string;

/** A package of one module that says its own name: the launcher does not care what it starts. */
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

/** As if this package had been started before, without another run of the compiler. */
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
/** Later than the write before, by more than the clock of a file system can miss, and later than any build so far. */
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
  it('builds what is stale, and only that', async () => {
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: 'Building…\n' });
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
    await source('cli/main.ts', says('two'));
    expect(await start()).toEqual({ code: 0, stdout: 'two\n', stderr: 'Building…\n' });
    expect(await start()).toEqual({ code: 0, stdout: 'two\n', stderr: '' });
  });

  it('leaves no module of a source that is gone', async () => {
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

  it('goes on after a build that was killed', async () => {
    await mkdir(join(root, 'dist.building'));
    const gone = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => gone.on('close', resolve));
    await writeFile(join(root, 'dist.building', '.owner'), `${hostname()} ${gone.pid}`);
    expect(await start()).toMatchObject({ code: 0, stdout: 'one\n' });
  });

  it('stops at a source that does not compile, and keeps the last build', async () => {
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

  it('makes again what somebody removed from the build', async () => {
    await startedBefore();
    await rm(join(root, 'dist', 'cli'), { recursive: true });
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: 'Building…\n' });
  });

  it('leaves alone what is newer but says the same', async () => {
    await startedBefore();
    await source('cli/main.ts', says('one'));
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
  });

  it('builds the packages that this one refers to, too', async () => {
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

  it('without TypeScript runs what is built, or says what to do', async () => {
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

  it('an installed package without sources just runs', async () => {
    await startedBefore();
    await rm(join(root, 'src'), { recursive: true });
    expect(await start()).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
  });
});
