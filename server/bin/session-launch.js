#!/usr/bin/env node
// Runs dist/cli/main.js. In a checkout it first brings dist/ up to date; an installed package has no src/.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');
const entry = join(dist, 'cli', 'main.js');
/** Holds the id of the process that builds; created with O_EXCL, so one process at a time has it. */
const lock = join(root, 'dist.lock');
/** No build takes longer. After a reboot, the process id in an old lock may belong to any other process. */
const maxBuildMs = 120_000;

async function ensureBuilt() {
  if (!existsSync(src)) return;
  const compiler = await findCompiler();
  if (compiler === undefined) {
    if (existsSync(entry)) return;
    fail('dist/ is missing and TypeScript is not installed: run npm ci with the development dependencies');
  }
  // Checked in this order: the output of a build in progress may already look up to date, but its lock still exists.
  while (!isUpToDate(compiler) || isLocked()) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code === 'EEXIST') {
        if (isLocked()) await sleep(50);
        else rmSync(lock, { force: true });
        continue;
      }
      if (existsSync(entry)) {
        process.stderr.write(
          `session-launch: dist/ is older than src/ and cannot be built here (${error.code}); running the older build. Run npm run build as the owner of the files.\n`,
        );
        return;
      }
      fail(`cannot build into ${root}: ${error.message}`);
    }
    try {
      // Another process may have finished its build before this one took the lock.
      if (!isUpToDate(compiler)) build(compiler);
      return;
    } finally {
      rmSync(lock, { force: true });
    }
  }
  // The compiler of a killed start may have finished the build, and only its lock is left.
  if (existsSync(lock) && !isLocked()) rmSync(lock, { force: true });
}

/** Whether a running process holds the lock. A killed build leaves its lock behind. */
function isLocked() {
  try {
    const owner = Number(readFileSync(lock, 'utf8'));
    const isOld = Date.now() - statSync(lock).mtimeMs > maxBuildMs;
    return !isOld && owner !== process.pid && process.kill(owner, 0);
  } catch (error) {
    return error.code === 'EPERM'; // the process runs, under another user
  }
}

/** Builds what the compiler does not: files for browsers (the SDK, the console and the documentation) and the engine's new database. */
async function ensureBundled(...folder) {
  const script = join(root, '..', ...folder, 'build.mjs');
  if (!existsSync(script)) return;
  const bundle = await import(pathToFileURL(script).href);
  if (!bundle.isStale()) return;
  // Where it cannot be built (read-only, or no development dependencies), the existing output is served.
  await bundle.build().catch((error) => {
    if (!bundle.isBuilt()) throw error;
  });
}

/** Whether a build would change nothing but timestamps, in this package and in those that it references. */
function isUpToDate(compiler) {
  if (!existsSync(entry)) return false;
  const { status, stdout } = compile(compiler, ['--dry'], 'pipe');
  const lines = String(stdout).trim().split(/\n+/);
  return status === 0 && lines.every((line) => / is up to date$| would update timestamps /.test(line));
}

function build(compiler) {
  process.stderr.write('Building…\n');
  // The compiler does not notice missing output while its build info exists, so it is forced.
  const { status, error } = compile(compiler, existsSync(entry) ? [] : ['--force'], 2);
  if (error) throw error;
  if (status !== 0) throw new Error('the compiler found errors');
  removeOrphans();
}

function compile([program, ...first], options, output) {
  // `npm run typecheck` checks types; a start only needs the JavaScript.
  const all = [...first, '-b', join(root, 'tsconfig.build.json'), '--noCheck', ...options];
  return spawnSync(program, all, { cwd: root, stdio: ['ignore', output, 2] });
}

/** Removes output of deleted sources, which the compiler keeps. */
function removeOrphans() {
  for (const name of readdirSync(dist, { recursive: true })) {
    if (name.startsWith('docs')) continue; // written by docs/build.mjs
    const module = /^(.*)\.(?:js|js\.map|d\.ts)$/.exec(name)?.[1];
    if (module === undefined || ['.ts', '.js'].some((type) => existsSync(join(src, module + type)))) continue;
    rmSync(join(dist, name));
  }
}

/**
 * The command that runs the TypeScript compiler, or undefined if it is not installed for this platform. Prefers the native
 * executable: starting Node takes longer than an up-to-date check.
 */
async function findCompiler() {
  let folder;
  try {
    folder = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  } catch {
    return undefined;
  }
  const module = await import(pathToFileURL(join(folder, 'lib', 'getExePath.js')).href).catch(
    () => undefined,
  );
  if (module === undefined) return [process.execPath, join(folder, 'bin', 'tsc')];
  try {
    return [module.default()];
  } catch {
    return undefined;
  }
}

function fail(message) {
  process.stderr.write(`session-launch: ${message}\n`);
  process.exit(1);
}

await Promise.all([
  ensureBuilt(),
  ensureBundled('sdk', 'browser'),
  ensureBundled('console'),
  ensureBundled('server', 'docs'),
  ensureBundled('engine'),
]).catch((error) => fail(`the build failed: ${error.message}`));
const { main } = await import('../dist/cli/main.js');
await main();
