#!/usr/bin/env node
// Runs dist/cli/main.js. In a checkout, lets the compiler bring dist/ up to date first; an installed package has no src/.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');
const entry = join(dist, 'cli', 'main.js');
/** There while a process builds: mkdir is atomic. */
const lock = join(root, 'dist.building');
const owner = join(lock, '.owner');
const ownName = `${hostname()} ${process.pid}`;
const abandonedAfterMs = 120_000;

async function ensureBuilt() {
  if (!existsSync(src)) return;
  const compiler = await findCompiler();
  if (compiler === undefined) {
    if (existsSync(entry)) return;
    fail('dist/ is missing and TypeScript is not installed: run npm ci with the development dependencies');
  }
  for (;;) {
    // In this order: a build that has begun shows by its lock, one that is done by its output.
    if (isUpToDate(compiler) && !existsSync(lock)) return;
    try {
      mkdirSync(lock);
    } catch (error) {
      if (error.code === 'EEXIST') await waitForOther();
      else if (existsSync(entry))
        return; // a read-only installation: what it came with is what runs
      else fail(`cannot build into ${root}: ${error.message}`);
      continue;
    }
    try {
      writeFileSync(owner, ownName);
      // Between the look and the lock another process may have finished.
      if (!isUpToDate(compiler)) build(compiler);
      return;
    } finally {
      if (readOwner() === ownName) rmSync(lock, { recursive: true });
    }
  }
}

/** The service serves the browser SDK, which is bundled and not compiled. */
async function ensureSdkBuilt() {
  const script = join(root, '..', 'sdk', 'browser', 'build.mjs');
  if (!existsSync(script)) return;
  const sdk = await import(pathToFileURL(script).href);
  if (!sdk.isStale()) return;
  // One that cannot be built here, read-only or without esbuild, is served as it came.
  await sdk.build().catch((error) => {
    if (!sdk.isBuilt()) throw error;
  });
}

/**
 * Whether the compiler would make nothing new; it also looks at the packages that this one refers to. A source that is
 * newer than its output, but says the same, gets a new time only.
 */
function isUpToDate(compiler) {
  if (!existsSync(entry)) return false;
  const { status, stdout } = compile(compiler, ['--dry'], 'pipe');
  const says = String(stdout).trim().split(/\n+/);
  return status === 0 && says.every((line) => / is up to date$| would update timestamps /.test(line));
}

function build(compiler) {
  process.stderr.write('Building…\n');
  // What dist/ lacks although its last build is known can only be had by force.
  const { status, error } = compile(compiler, existsSync(entry) ? [] : ['--force'], 2);
  if (error) throw error;
  if (status !== 0) throw new Error('the compiler found errors');
  removeOrphans();
}

function compile([program, ...first], options, output) {
  // Types are checked by `npm run typecheck`; a start only needs the JavaScript.
  const all = [...first, '-b', join(root, 'tsconfig.build.json'), '--noCheck', ...options];
  return spawnSync(program, all, { cwd: root, stdio: ['ignore', output, 2] });
}

/** The compiler leaves what it made of a source that is gone. */
function removeOrphans() {
  for (const name of readdirSync(dist, { recursive: true })) {
    const module = /^(.*)\.(?:js|js\.map|d\.ts)$/.exec(name)?.[1];
    if (module === undefined || ['.ts', '.js'].some((type) => existsSync(join(src, module + type)))) continue;
    rmSync(join(dist, name));
  }
}

async function waitForOther() {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > abandonedAfterMs || ownerIsGone()) rmSync(lock, { recursive: true, force: true });
  else await sleep(50);
}

function readOwner() {
  try {
    return readFileSync(owner, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether the process that builds, on this machine, has died. */
function ownerIsGone() {
  const name = readOwner();
  if (name === ownName) return true; // a restarted container reuses the ids
  const pid = Number(name?.split(' ').at(-1));
  if (!Number.isInteger(pid) || pid < 1 || name !== `${hostname()} ${pid}`) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/**
 * The compiler as a command: its program itself, since Node takes longer to start than the program to say that all is
 * up to date. Undefined where it is not installed, or not for this platform.
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

await Promise.all([ensureBuilt(), ensureSdkBuilt()]).catch((error) =>
  fail(`the build failed: ${error.message}`),
);
const { main } = await import('../dist/cli/main.js');
await main();
