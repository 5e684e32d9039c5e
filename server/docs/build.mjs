// Renders the repository's Markdown into dist/docs/, which the public listener serves at /docs/. `--if-stale` does nothing when dist/docs/
// is newer than the sources.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileOf, sourceFiles, sources, testsFolder } from './sources.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const own = fileURLToPath(new URL('.', import.meta.url));
const dist = fileURLToPath(new URL('../dist/docs/', import.meta.url));
const manifest = join(own, '..', 'package.json');
const filesFolder = join(dist, 'files');
/** Written last: if it exists, the build is complete. */
const indexFile = join(dist, 'index.html');

export const isBuilt = () => existsSync(indexFile);

/** Whether a page, a picture or a file of this build is newer than its output. */
export function isStale() {
  // An image may contain the program without the documentation.
  if (!existsSync(join(root, 'docs'))) return false;
  if (!isBuilt()) return true;
  const builtAt = statSync(indexFile).mtimeMs;
  const program = readdirSync(own).map((name) => join(own, name));
  const copies = existsSync(filesFolder)
    ? readdirSync(filesFolder, { recursive: true }).map((name) => join(root, name))
    : [];
  return [...sourceFiles(root), ...copies, ...program, manifest].some(
    (file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > builtAt,
  );
}

export async function build() {
  const { renderAll } = await import('./render.mjs');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const pages = sources(root);
  const texts = new Map();
  for (const source of pages.keys())
    texts.set(source, source === testsFolder ? await testsPage() : readFileSync(join(root, source), 'utf8'));
  const { documents, index, files } = renderAll(root, pages, texts, version);
  const made = new Set();
  const output = (name, save) => {
    const path = join(dist, name);
    made.add(path);
    mkdirSync(dirname(path), { recursive: true });
    // Renamed into place, because another process may be reading the file.
    const partial = `${path}.${process.pid}`;
    save(partial);
    renameSync(partial, path);
  };
  for (const [from, to] of files) output(to, (path) => copyFileSync(join(root, from), path));
  output('search.json', (path) => writeFileSync(path, JSON.stringify(index)));
  for (const [url, text] of [...documents].reverse())
    output(fileOf(url), (path) => writeFileSync(path, text));
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // A file of a parallel build has a process id at its end.
    if (entry.isFile() && !made.has(path) && !/\.\d+$/.test(path)) rmSync(path, { force: true });
  }
}

async function testsPage() {
  const { readSubjects, rulesPage } = await import('./rules.mjs');
  return rulesPage(await readSubjects(root));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--if-stale') || isStale()) await build();
}
