import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The thread for project files, made into one file before the tests began: most of its time would be to load many. */
const fileThread = process.env.FILE_THREAD;

export async function load(url, context, next) {
  if (fileThread !== undefined && url.endsWith('/src/projects/file-thread.js'))
    return { format: 'module', source: await readFile(fileThread), shortCircuit: true };
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transform } = await import('esbuild');
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { loader: 'ts' });
  return { format: 'module', source: code, shortCircuit: true };
}
