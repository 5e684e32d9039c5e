import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { expect, inject, test } from 'vitest';

const service = deployedService();
const modules = join(dirname(inject('program')), '..', '..');
const own = inject('packages').filter(({ name }) => name.includes('session-launch'));

interface Manifest {
  version: string;
  private?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));

/** Names of the packages that the JavaScript files of a package import. */
function importedBy(name: string): Set<string> {
  const folder = join(modules, name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^(dist|bin)\/.*\.js$/.test(path) && !path.startsWith('dist/session-launch'),
  );
  const imported =
    /(?:^(?:import|export) [^'"\n]*from |^\} from |^import |\bimport\()['"]([@\w][^'"\n]*)['"]/gm;
  const specifiers = files.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(imported)].map(([, specifier]) => specifier!),
  );
  return new Set(
    specifiers
      .filter((specifier) => !isBuiltin(specifier))
      .map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)![0]),
  );
}

test('every package of the service can be published, with a README and a license', () => {
  expect(own).toHaveLength(8);
  for (const { name, files } of own) {
    expect(manifestOf(name).private, name).toBeUndefined();
    expect(files, name).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']));
  }
});

test('the package of the engine has the files of a new database', () => {
  const engine = own.find(({ name }) => name === '@session-launch/engine');
  expect(engine?.files).toContain('dist/new-database.tgz');
});

test('a package depends on exactly the version of ours that is packed with it', () => {
  const versions = Object.fromEntries(own.map(({ name }) => [name, manifestOf(name).version]));
  for (const { name } of own) {
    const ours = Object.entries(manifestOf(name).dependencies ?? {}).filter(([other]) => other in versions);
    for (const [other, range] of ours) expect(range, `${name} → ${other}`).toBe(versions[other]);
  }
});

// The test's own node_modules has every package, so a missing dependency would not fail the start.
test.each(own.map(({ name }) => name).filter((name) => name !== '@session-launch/console'))(
  '%s declares every package that it imports',
  (name) => {
    const { dependencies, optionalDependencies } = manifestOf(name);
    const declared = Object.keys({ ...dependencies, ...optionalDependencies });
    // The launcher looks for TypeScript in a checkout only.
    const missing = [...importedBy(name)].filter(
      (other) => !declared.includes(other) && other !== 'typescript',
    );
    expect(missing).toEqual([]);
  },
);

test('the imports of the service are found', () => {
  expect([...importedBy('session-launch')]).toEqual(
    expect.arrayContaining([
      'fastify',
      'pg',
      'commander',
      '@session-launch/contract',
      '@session-launch/engine',
    ]),
  );
});

test('the installed service serves every page and file that its landing page links to, and the console', async () => {
  const page = await (await fetch(`${service.url}/`)).text();
  const linked = [...page.matchAll(/(?:href|src)="([^"#]+)"/g)]
    .map(([, path]) => new URL(path!, `${service.url}/`))
    .filter(({ origin }) => origin === service.url)
    .map(({ href }) => href);
  expect(linked.length).toBeGreaterThan(10);
  const addresses = [
    ...new Set([...linked, `${service.url}/sdk/v2/session-launch.js`, `${service.adminUrl}/console/`]),
  ];
  const statuses = await Promise.all(
    addresses.map(async (address) => [address, (await fetch(address)).status] as const),
  );
  expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
});
