import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { examples } from '../../config/examples-folder.ts';

export const templates = ['express', 'fastify', 'static'] as const;
export type Template = (typeof templates)[number];

interface Layout {
  /** Path of each starter file, and of the example file that it is copied from. */
  files: Record<string, string>;
  /** The example whose dependencies the starter gets. */
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
  return readFile(join(examples, path), 'utf8');
}
