#!/usr/bin/env node
// Runs dist/cli/main.js. In a checkout, builds dist/ first when src/ is newer; an installed package has no src/.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');
const entry = join(dist, 'cli', 'main.js');
/** Output of the build under way and, because mkdir is atomic, its lock. As deep as dist: source maps hold. */
const building = join(root, 'dist.building');
const owner = join(building, '.owner');
const ownName = `${hostname()} ${process.pid}`;
/** Newer than every source it was made from; `npm run build` writes it too. */
const stamp = '.tsbuildinfo';
const abandonedAfterMs = 60_000;

async function ensureBuilt() {
  if (!existsSync(src)) return;
  for (;;) {
    const newest = newestSource();
    if (isFresh(newest)) return;
    const typescript = findTypeScript();
    if (typescript === undefined) {
      if (existsSync(entry)) return;
      fail('dist/ is missing and TypeScript is not installed: run npm ci with the development dependencies');
    }
    try {
      mkdirSync(building);
    } catch (error) {
      if (error.code === 'EEXIST') await waitForOther();
      else if (existsSync(entry))
        return; // a read-only installation: what it came with is what runs
      else fail(`cannot build into ${root}: ${error.message}`);
      continue;
    }
    // Between the look and the lock another process may have finished.
    if (isFresh(newest)) rmSync(building, { recursive: true });
    else if (build(typescript, newest)) return;
  }
}

/** The time of the last change in src/, folders included: removing a file changes its folder. */
function newestSource() {
  let newest = 0;
  const look = (path) => {
    newest = Math.max(newest, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  };
  look(src);
  for (const name of readdirSync(src, { recursive: true })) look(join(src, name));
  look(join(root, 'tsconfig.build.json'));
  look(join(root, '..', 'tsconfig.base.json'));
  return Math.ceil(newest);
}

function isFresh(newest) {
  const built = statSync(join(dist, stamp), { throwIfNoEntry: false })?.mtimeMs;
  return built !== undefined && built >= newest && existsSync(entry);
}

/** False when another process took this lock for an abandoned one: then that one builds. */
function build(typescript, newest) {
  process.stderr.write('Building…\n');
  try {
    writeFileSync(owner, ownName);
    // Types are checked by `npm run typecheck`; a start only needs the JavaScript.
    const options = ['--noCheck', '--outDir', building, '--tsBuildInfoFile', join(building, stamp)];
    const { status, error } = spawnSync(
      process.execPath,
      [typescript, '-p', join(root, 'tsconfig.build.json'), ...options],
      { cwd: root, stdio: ['ignore', 2, 2] },
    );
    if (error) throw error;
    if (status !== 0) throw new Error('the compiler found errors');
    // A source saved while the compiler ran is newer than this, and so built at the next start.
    const seconds = (newest + 1) / 1000; // one more, because seconds as a fraction may round down
    utimesSync(join(building, stamp), seconds, seconds);
    if (readOwner() !== ownName) return false;
    publish();
    return true;
  } catch (error) {
    if (readOwner() !== ownName) return false;
    rmSync(building, { recursive: true, force: true });
    fail(`the build failed: ${error.message}`);
  }
}

/** Puts the new build in the place of the old one, which also gives the lock back. */
function publish() {
  if (existsSync(dist)) renameSync(dist, join(building, '.old'));
  renameSync(building, dist);
  for (const name of ['.old', '.owner']) rmSync(join(dist, name), { recursive: true, force: true });
}

async function waitForOther() {
  const age = Date.now() - (statSync(building, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > abandonedAfterMs || ownerIsGone()) rmSync(building, { recursive: true, force: true });
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

function findTypeScript() {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
    return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.tsc);
  } catch {
    return undefined;
  }
}

function fail(message) {
  process.stderr.write(`session-launch: ${message}\n`);
  process.exit(1);
}

await ensureBuilt();
const { main } = await import('../dist/cli/main.js');
await main();
