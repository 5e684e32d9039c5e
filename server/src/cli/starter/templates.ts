import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const templates = ['express', 'fastify', 'static'] as const;
export type Template = (typeof templates)[number];

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));
/** What an installed package has instead. */
const copies = fileURLToPath(new URL('../../../templates/', import.meta.url));

interface Layout {
  /** Files of the starter, by the examples that they are copies of. */
  files: Record<string, string>;
  /** The example whose dependencies are those of the starter. */
  example: string;
  start: string;
  port: number;
}

export const layouts: Record<Template, Layout> = {
  express: {
    files: { 'src/server.js': 'backend-express/server.js', 'launch.html': 'launch.html' },
    example: 'backend-express',
    start: 'node --env-file=.env src/server.js',
    port: 3000,
  },
  fastify: {
    files: { 'src/server.js': 'backend-fastify/server.js', 'launch.html': 'launch.html' },
    example: 'backend-fastify',
    start: 'node --env-file=.env src/server.js',
    port: 3000,
  },
  static: {
    files: {
      'server.js': 'static-page/server.js',
      'public/index.html': 'static-page/public/index.html',
      'public/page.js': 'static-page/public/page.js',
    },
    example: 'static-page',
    start: 'node server.js',
    port: 5173,
  },
};

export function readExample(path: string): Promise<string> {
  const isCheckout = existsSync(join(examples, 'launch.html'));
  return readFile(join(isCheckout ? examples : copies, path), 'utf8');
}
