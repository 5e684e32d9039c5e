// Bundles the console into dist/: index.html and files whose names contain a digest of their content. `--if-stale` does nothing when dist/
// is newer than the sources.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const contract = join(root, '..', 'contract', 'src');
/** Written last: if it exists, the build is complete. */
const page = join(dist, 'index.html');

export const isBuilt = () => existsSync(page);

/** Whether a source of the console, or of the contract from which it takes tables, is newer than the build. */
export function isStale() {
  if (!isBuilt()) return true;
  const builtAt = statSync(page).mtimeMs;
  const sources = [join(root, 'src'), contract].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder, { recursive: true }).map((name) => join(folder, name)) : [],
  );
  return [...sources, join(root, 'build.mjs'), join(root, 'package.json')].some(
    (file) => statSync(file).mtimeMs > builtAt,
  );
}

export async function build() {
  const { build: bundle } = await import('esbuild');
  const { outputFiles, metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: { console: 'src/main.tsx' },
    outdir: dist,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    metafile: true,
    write: false,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    alias: { '@session-launch/contract': contract },
    legalComments: 'none',
    logLevel: 'warning',
  });
  mkdirSync(dist, { recursive: true });
  for (const { path, contents } of outputFiles) write(basename(path), contents);
  const [script, { cssBundle }] = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint);
  // Inside the page, which saves a request.
  const icon = `data:image/svg+xml;base64,${readFileSync(join(root, 'src', 'icon.svg')).toString('base64')}`;
  const html = readFileSync(join(root, 'src', 'index.html'), 'utf8')
    .replace('ICON', icon)
    .replace('SCRIPT', basename(script))
    .replace('STYLE', basename(cssBundle));
  write('index.html', html);
  // Files of the build before stay for a while: a tab that is open may still load one of them.
  const made = new Set([...outputFiles.map(({ path }) => basename(path)), 'index.html']);
  for (const name of readdirSync(dist)) {
    const isOld = Date.now() - statSync(join(dist, name)).mtimeMs > 24 * 60 * 60 * 1000;
    if (!made.has(name) && isOld) rmSync(join(dist, name), { force: true });
  }
}

/** Writes a file atomically by renaming, because another process may be reading it. */
function write(name, contents) {
  const partial = join(dist, `.${name}.${process.pid}`);
  writeFileSync(partial, contents);
  renameSync(partial, join(dist, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--if-stale') || isStale()) await build();
}
