// Publishes the packed packages of a folder with provenance, dependencies first. Versions that npm already has are skipped: the SDKs have
// versions of their own, and a failed release can be run again. Run it with: node scripts/publish.mjs FOLDER [--dry-run]
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { published } from './pack.mjs';

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/publish.mjs FOLDER [--dry-run]');

const packages = published.map((workspace) => {
  const manifest = new URL(`../${workspace}/package.json`, import.meta.url);
  const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return { name, version, file: join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`) };
});
const missing = packages.filter(({ file }) => !existsSync(file));
if (missing.length > 0) throw new Error(`not packed: ${missing.map(({ file }) => file).join(', ')}`);

for (const { name, version, file } of packages) {
  const { stdout } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' });
  if (stdout.trim() === version) {
    console.log(`${name} ${version} is published already`);
    continue;
  }
  const provenance = flags.includes('--dry-run') ? [] : ['--provenance'];
  const args = [
    'publish',
    `./${file}`.replace(/^\.\/\//, '/'),
    ...provenance,
    '--access',
    'public',
    ...flags,
  ];
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
