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
const ofProcess = join(root, '..', 'process', 'src');
/** The script mind of the runtime, with which the editor checks questions. */
const mind = join(root, '..', 'runtime', 'src', 'mind');
/** The renderer of the SDK with which the console shows faces. */
const renderers = join(root, '..', 'sdk', 'browser', 'src', 'renderers');
const projectFileSchema = join(root, '..', 'project-file.schema.json');
/** Written last: if it exists, the build is complete. */
const pageFile = join(dist, 'index.html');

const target = ['chrome111', 'firefox113', 'safari16.4'];

export const isBuilt = () => existsSync(pageFile);

/** Whether a source of the console, or one that it takes from other workspaces, is newer than the build. */
export function isStale() {
  if (!isBuilt()) return true;
  const builtAt = statSync(pageFile).mtimeMs;
  const sources = [join(root, 'src'), contract, mind, renderers].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder, { recursive: true }).map((name) => join(folder, name)) : [],
  );
  return [...sources, projectFileSchema, join(root, 'build.mjs'), join(root, 'package.json')].some(
    (file) => existsSync(file) && statSync(file).mtimeMs > builtAt,
  );
}

/**
 * Makes every part that is loaded later import the main module as well. What the first load needs is then one file: otherwise esbuild
 * writes a separate file for each set of parts that share a module, and the first load requests all of them.
 */
const sharingTheFirstLoad = {
  name: 'sharing-the-first-load',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: join(resolveDir, path), namespace: 'later' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => {
      const names = /\.tsx?$/.test(path) ? '*' : '{ default }';
      const main = JSON.stringify(join(root, 'src', 'main.tsx'));
      return {
        contents: `import ${main};\nexport ${names} from ${JSON.stringify(path)};`,
        resolveDir: root,
      };
    });
  },
};

export async function build() {
  const { build: bundle } = await import('esbuild');
  const { outputFiles: bundled, metafile } = await bundle({
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
    target,
    alias: { '@session-launch/contract': contract, '@session-launch/process': ofProcess },
    loader: { '.ulaw': 'binary' },
    plugins: [sharingTheFirstLoad],
    legalComments: 'none',
    logLevel: 'warning',
  });
  const outputOf = (source) => Object.entries(metafile.outputs).find(([, one]) => one.entryPoint === source);
  const [script, { cssBundle }] = outputOf('src/main.tsx');
  // esbuild puts the sheets of parts that are loaded later into the sheet of the page as well; here each part has its own.
  const atOnce = importedBy('src/main.tsx', metafile.inputs);
  const sheets = Object.keys(metafile.outputs[cssBundle].inputs);
  const [page, editor] = await Promise.all([
    bundleSheets(
      bundle,
      'console',
      sheets.filter((path) => atOnce.has(path)),
    ),
    bundleSheets(
      bundle,
      'editor',
      sheets.filter((path) => !atOnce.has(path)),
    ),
  ]);
  const outputFiles = [...bundled.filter(({ path }) => !path.endsWith('.css')), page, editor];
  mkdirSync(dist, { recursive: true });
  for (const { path, contents } of outputFiles) write(basename(path), contents);
  // Inside the page, which saves a request.
  const icon = `data:image/svg+xml;base64,${readFileSync(join(root, 'src', 'icon.svg')).toString('base64')}`;
  const html = readFileSync(join(root, 'src', 'index.html'), 'utf8')
    .replace('ICON', icon)
    .replace('SCRIPT', basename(script))
    .replace('EDITOR_STYLE', basename(editor.path))
    .replace('STYLE', basename(page.path));
  write('index.html', html);
  // Files of the build before stay for a while: a tab that is open may still load one of them.
  const made = new Set([...outputFiles.map(({ path }) => basename(path)), 'index.html']);
  for (const name of readdirSync(dist)) {
    const isOld = Date.now() - statSync(join(dist, name)).mtimeMs > 24 * 60 * 60 * 1000;
    if (!made.has(name) && isOld) rmSync(join(dist, name), { force: true });
  }
}

/** The files that a file imports, directly or not, without those that it imports when they are needed. */
function importedBy(source, inputs, found = new Set()) {
  if (found.has(source)) return found;
  found.add(source);
  for (const { path, kind } of inputs[source]?.imports ?? [])
    if (kind !== 'dynamic-import') importedBy(path, inputs, found);
  return found;
}

/** Bundles sheets in this order. */
async function bundleSheets(bundle, name, sheets) {
  const { outputFiles } = await bundle({
    absWorkingDir: root,
    stdin: {
      contents: sheets.map((path) => `@import ${JSON.stringify(`./${path}`)};`).join('\n'),
      loader: 'css',
      resolveDir: root,
      sourcefile: `${name}.css`,
    },
    entryNames: `${name}-[hash]`,
    outdir: dist,
    bundle: true,
    minify: true,
    write: false,
    target,
    logLevel: 'warning',
  });
  return outputFiles[0];
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
