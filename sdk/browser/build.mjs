// Bundles the SDK into dist/. `--types` also writes its declarations; `--if-stale` does nothing when dist/ is newer than src/.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const served = [
  'session-launch.js',
  'session-launch.mjs',
  'worklet.js',
  'opus.js',
  'picture.mjs',
  'livekit.mjs',
];
/** Written last: if it exists, the build is complete. */
const stamp = join(dist, 'integrity.json');

export const isBuilt = () => existsSync(stamp);

/** Whether a file in src/ or this file is newer than the build. */
export function isStale() {
  if (!isBuilt()) return true;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = readdirSync(join(root, 'src'), { recursive: true }).map((name) => join(root, 'src', name));
  return [...sources, join(root, 'build.mjs'), join(root, 'package.json')].some(
    (file) => statSync(file).mtimeMs > builtAt,
  );
}

export async function build() {
  const { build: bundle, transform } = await import('esbuild');
  const { minify } = await import('terser');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const styles = {
    name: 'styles',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.css$/ }, async ({ path }) => {
        const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true });
        return { contents: code.trim(), loader: 'text' };
      }),
  };
  /** The served files load the renderer of pictures from the service; it is not part of them. */
  const servedPicture = {
    name: 'served-picture',
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/import-picture\.ts$/ }, ({ resolveDir }) => ({
        path: join(resolveDir, 'import-served-picture.ts'),
      })),
  };
  const common = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    target: ['chrome111', 'firefox113', 'safari16.4'],
    write: false,
    legalComments: 'none',
    plugins: [styles],
    // Only types are imported from the contract.
    external: ['@session-launch/contract/*'],
    logLevel: 'warning',
  };
  const ofService = [styles, servedPicture];
  const banner = { js: `/* @session-launch/browser ${version} | Apache-2.0 */` };
  const outputs = {
    'session-launch.js': { entryPoints: ['src/script.ts'], format: 'iife', banner, plugins: ofService },
    'session-launch.mjs': { entryPoints: ['src/served.ts'], format: 'esm', banner, plugins: ofService },
    'picture.mjs': { entryPoints: ['src/renderers/picture/picture.ts'], format: 'esm', banner },
    'worklet.js': { entryPoints: ['src/audio/worklet.js'], format: 'esm' },
    'opus.js': { entryPoints: ['src/opus.ts'], format: 'esm' },
    'livekit.mjs': { entryPoints: ['src/livekit/chunk.ts'], format: 'esm', banner, legalComments: 'eof' },
  };
  mkdirSync(dist, { recursive: true });
  await buildModules(bundle, common, styles);
  const integrity = {};
  for (const [name, options] of Object.entries(outputs)) {
    const { outputFiles } = await bundle({ ...common, ...options });
    const bundled = outputFiles[0].text;
    // Each page loads one of these two: compressed, they are 3 % smaller after this second minifier.
    const isMain = name.startsWith('session-launch.');
    const text = isMain ? (await minify(bundled, { format: { comments: /@session-launch/ } })).code : bundled;
    write(name, text);
    if (served.includes(name))
      integrity[name] = `sha384-${createHash('sha384').update(text).digest('base64')}`;
  }
  write('integrity.json', `${JSON.stringify({ version, files: integrity }, null, 2)}\n`);
}

/** Builds the entries for bundlers, not minified. Code that they share is in chunks. */
async function buildModules(bundle, common, styles) {
  // A file without shared chunks: bundlers that do not split code would otherwise keep everything that it shares with the entries.
  const ownPicture = {
    name: 'own-picture',
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/picture\/picture\.ts$/ }, () => ({ path: './picture.mjs', external: true })),
  };
  const { outputFiles } = await bundle({
    ...common,
    entryPoints: ['src/index.ts', 'src/core.ts', 'src/page-speech.ts'],
    plugins: [styles, ownPicture],
    format: 'esm',
    minify: false,
    minifySyntax: true,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    outdir: dist,
  });
  // Remove the imports that esbuild adds for side effects: the package has none, and bundlers would warn.
  const bare = /^import "\.\/chunk-[^"]+";\n/gm;
  const made = new Map(outputFiles.map(({ path, text }) => [basename(path), text.replace(bare, '')]));
  // Write chunks first, so that an entry never imports a missing chunk.
  for (const name of [...made.keys()].sort((one, other) => isChunk(other) - isChunk(one)))
    write(name, made.get(name));
  for (const name of readdirSync(dist))
    if (isChunk(name) && !made.has(name)) rmSync(join(dist, name), { force: true });
}

const isChunk = (name) => Number(name.startsWith('chunk-'));

/** Writes a file atomically by renaming, because another process may be reading it. */
function write(name, contents) {
  const partial = join(dist, `.${name}.${process.pid}`);
  writeFileSync(partial, contents);
  renameSync(partial, join(dist, name));
}

/** Writes the declarations that the entries import, directly or indirectly. */
export function buildTypes() {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin',
    'tsc',
  );
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.types.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the compiler found errors');
  const all = join(dist, '.types');
  const own = join(all, 'sdk', 'browser', 'src');
  const reached = new Set();
  const follow = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g))
      follow(resolve(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')));
  };
  for (const entry of ['index', 'core', 'page-speech', 'script']) follow(join(own, `${entry}.d.ts`));
  for (const file of reached) {
    const place = join(dist, relative(own, file));
    mkdirSync(dirname(place), { recursive: true });
    renameSync(file, place);
  }
  rmSync(all, { recursive: true });
  // Loaded by URL; not for applications.
  write('worklet.d.ts', 'export {};\n');
  write('opus.d.ts', 'export {};\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--if-stale') || isStale()) await build();
  if (process.argv.includes('--types')) buildTypes();
}
