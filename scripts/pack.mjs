// Packs every package that is published, as npm publishes it, into a folder. Run it with: node scripts/pack.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('../', import.meta.url);
const manifestOf = (folder) => JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'));

/** Folders of the published packages, in the order of the workspaces: a package follows those that it depends on. */
export const published = manifestOf('.').workspaces.filter((folder) => manifestOf(folder).private !== true);

/** Builds and packs them; returns the names of the files. */
export function packInto(folder) {
  const workspaces = published.flatMap((name) => ['-w', name]);
  const stdout = execFileSync('npm', ['pack', '--json', '--pack-destination', folder, ...workspaces], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // Scripts of the packages may print before the JSON.
  const packed = JSON.parse(stdout.slice(stdout.search(/^[[{]$/m)));
  return Object.values(packed).map(({ filename }) => filename);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('usage: node scripts/pack.mjs FOLDER');
  for (const file of packInto(folder)) console.log(file);
}
