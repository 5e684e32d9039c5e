import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readPage } from '../harness/pages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folders = ['.', 'docs', 'docs/decisions', 'bench', 'examples'];
const pages = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** The anchors of a page's headings, as GitHub generates them. */
function anchorsOf(path: string): Set<string> {
  const headings = withoutCode(readPage(path)).match(/^#+ .+$/gm) ?? [];
  return new Set(headings.map((heading) => anchor(heading.replace(/^#+ /, ''))));
}

function anchor(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function withoutCode(page: string): string {
  return page.replace(/^```[\s\S]*?^```/gm, '');
}

function problemOf(from: string, link: string): string | undefined {
  const [file = '', fragment] = link.split('#');
  const path = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(root, path))) return `${link}: nothing there`;
  if (fragment === undefined || statSync(join(root, path)).isDirectory()) return undefined;
  return anchorsOf(path).has(fragment) ? undefined : `${link}: no such heading`;
}

test.each(pages)('every link of %s has an existing target', (page) => {
  const links = [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const local = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(local.map((link) => problemOf(page, link)).filter((problem) => problem !== undefined)).toEqual([]);
});
