import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The worker thread for project files, bundled by global setup, since loading its many modules takes most of its start time. */
const fileThread = process.env.FILE_THREAD;

export async function load(url, context, next) {
  if (fileThread !== undefined && url.endsWith('/src/documents/file-thread.js'))
    return { format: 'module', source: await readFile(fileThread), shortCircuit: true };
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { transform } = await import('esbuild');
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), { loader: 'ts' });
  return { format: 'module', source: code, shortCircuit: true };
}
