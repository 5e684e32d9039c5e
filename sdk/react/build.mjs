// Bundles the React package into dist/ and writes its declarations. The browser SDK and React are external.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildSdk, buildTypes as buildSdkTypes, isStale } from '../browser/build.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));

if (isStale()) await buildSdk();
// Our declarations refer to those of the SDK.
buildSdkTypes();
await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts'],
  outfile: 'dist/index.js',
  bundle: true,
  format: 'esm',
  jsx: 'automatic',
  target: 'es2022',
  minifySyntax: true,
  external: ['react', 'react/jsx-runtime', '@session-launch/browser'],
  // Marks the module as client code for frameworks with React server components.
  banner: { js: '"use client";' },
  logLevel: 'warning',
});
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
  'bin',
  'tsc',
);
const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.types.json')], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
