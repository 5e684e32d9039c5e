// Which files of the repository become pages and files below /docs/, and under which address.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** The folder that stands for the page of all tests. A link to it leads to that page; without the folder there is no page. */
export const testsFolder = 'server/test';

/** Pages outside docs/. */
const others = {
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'SECURITY.md': 'security',
  'examples/README.md': 'examples',
  'bench/README.md': 'benchmark',
};

/** Files that pages may link to. They are copied; links to all other files become plain text. */
const copied = /^(?:examples|deploy)\/[\w./-]+$|^(?:admin-openapi|project-file\.schema)\.json$/;

const markdownIn = (root, folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name));

/** Maps the source of every page to its address below /docs/. The index is the first. */
export function sources(root) {
  const pages = new Map([['docs/README.md', '']]);
  for (const source of [...markdownIn(root, 'docs'), ...markdownIn(root, 'docs/decisions')]) {
    pages.set(source, source.slice('docs/'.length).replace(/README\.md$|\.md$/, ''));
  }
  for (const [source, url] of Object.entries(others)) pages.set(source, url);
  if (existsSync(join(root, testsFolder))) pages.set(testsFolder, 'coverage');
  return pages;
}

/** Every file whose change makes the output stale. Tests are none: running or starting the service must not wait for their page. */
export function sourceFiles(root) {
  const pictures = readdirSync(join(root, 'docs', 'pictures')).map((name) => `docs/pictures/${name}`);
  const pages = [...sources(root).keys()].filter((source) => source !== testsFolder);
  return [...pages, ...pictures].map((name) => join(root, name));
}

/** The file of a page in dist/docs/. */
export const fileOf = (url) => (url === '' || url.endsWith('/') ? `${url}index.html` : `${url}.html`);

/**
 * Resolves a link of a page to a path in the repository, and that to an address: relative to the page, and `undefined` if nothing is
 * served there. Collects the files to copy.
 */
export class Links {
  /** Path in the repository → path below /docs/. */
  files = new Map();
  #root;
  #pages;

  constructor(root, pages) {
    this.#root = root;
    this.#pages = pages;
  }

  resolve(source, link) {
    if (/^(?:[a-z]+:|#)/.test(link)) return link;
    const [path, fragment] = link.split('#');
    const target = posix.normalize(posix.join(dirname(source), path));
    const to = this.#addressOf(target);
    if (to === undefined) return undefined;
    return relative(this.#pages.get(source), to) + (fragment === undefined ? '' : `#${fragment}`);
  }

  #addressOf(target) {
    if (this.#pages.has(target)) return this.#pages.get(target);
    if (target === 'openapi.json') return '../openapi.json';
    const picture = /^docs\/(pictures\/[\w.-]+)$/.exec(target)?.[1];
    const to = picture ?? (copied.test(target) ? `files/${target}` : undefined);
    if (to === undefined || !statSync(join(this.#root, target), { throwIfNoEntry: false })?.isFile())
      return undefined;
    this.files.set(target, to);
    return to;
  }
}

/** The relative link between two addresses below /docs/. */
export function relative(from, to) {
  const folder = from.includes('/') ? posix.dirname(`${from}x`) : '';
  const link = posix.relative(`/docs/${folder}`, posix.join('/docs/', to));
  const isFolder = to === '' || to.endsWith('/');
  if (link === '') return './';
  return isFolder ? `${link}/` : link;
}
