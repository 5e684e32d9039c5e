// Renders all pages: their contents, the menu from the lists of docs/README.md, and the index of the search.
import { readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked } from 'marked';
import { renderPage } from './markdown.mjs';
import { document } from './page.mjs';
import { Links, relative, testsFolder } from './sources.mjs';

const indexSource = 'docs/README.md';
const decisions = 'decisions/';

/** `texts` has the Markdown of each page by its source. */
export function renderAll(root, pages, texts, version) {
  const links = new Links(root, pages);
  const menu = menuOf(texts.get(indexSource), links);
  const rendered = [...pages].map(([source, url]) => ({
    source,
    url,
    ...renderPage(texts.get(source), {
      root,
      resolve: (link) => links.resolve(source, link),
      pictureOf: (link) => posix.join(dirname(source), link),
    }),
  }));
  // All pictures are copied: `<picture>` elements name their files themselves, and the landing page shows some.
  for (const name of readdirSync(join(root, 'docs', 'pictures')))
    links.resolve(indexSource, `pictures/${name}`);
  const titles = new Map(rendered.map(({ url, title }) => [url, title]));
  const listed = menu.flatMap(({ items }) => items).filter(({ url }) => titles.has(url));
  const ofDecisions = rendered.filter(({ url }) => url.startsWith(decisions)).map(({ url }) => url);
  const documents = rendered.map((page) => {
    const isDecision = page.url.startsWith(decisions) && page.url !== decisions;
    const order = isDecision ? ofDecisions.sort() : listed.map(({ url }) => url);
    const at = order.indexOf(page.url);
    const neighbour = (url) =>
      url === undefined ? undefined : { href: relative(page.url, url), title: titles.get(url) };
    const current = isDecision ? decisions : page.url;
    const group = menu.find(({ items }) => items.some(({ url }) => url === current));
    const html = document({
      ...page,
      version,
      kind: page.url === '' ? undefined : group?.kind,
      root: relative(page.url, ''),
      menu: menu.map(({ name, items }) => ({
        name,
        items: items.map(({ url, title, group: under }) => ({
          title,
          under,
          href: relative(page.url, url),
          isCurrent: url === current,
        })),
      })),
      previous: at > 0 ? neighbour(order[at - 1]) : undefined,
      next: at >= 0 ? neighbour(order[at + 1]) : undefined,
    });
    return [page.url, html];
  });
  return { documents, index: searchIndex(rendered), files: links.files };
}

const kinds = {
  Tutorials: 'Tutorial',
  'How-to guides': 'How-to guide',
  Reference: 'Reference',
  Explanation: 'Explanation',
};

/** The lists of the index, one group per heading. */
function menuOf(text, links) {
  const groups = [];
  let under;
  for (const token of new Marked().lexer(text)) {
    if (token.type === 'heading' && token.depth === 2) {
      groups.push({ name: token.text, kind: kinds[token.text], items: [] });
      under = undefined;
    } else if (token.type === 'paragraph' && token.text.endsWith(':')) under = token.text.slice(0, -1);
    else if (token.type === 'list') {
      const found = token.items.flatMap((item) => linksIn(item.tokens));
      for (const { href, text: title } of found) {
        const url = addressOf(links.resolve(indexSource, href));
        const isListed = groups.some(({ items }) => items.some((item) => item.url === url));
        if (url !== undefined && !isListed)
          groups.at(-1)?.items.push({ url, title: capital(title), group: under });
      }
    }
  }
  return groups;
}

/** Addresses in the index are relative to /docs/ itself. */
const addressOf = (link) => (link === './' ? '' : link);

const linksIn = (tokens = []) =>
  tokens.flatMap((token) => (token.type === 'link' ? [token] : linksIn(token.tokens)));

const capital = (text) => (/^[a-z]+[.-]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

/** Pages as [title, address], entries as [page, heading, anchor, whether it is a row of a table]. */
function searchIndex(rendered) {
  return {
    pages: rendered.map(({ title, url }) => [title, url]),
    // The headings of the tests would hide those that explain a subject.
    entries: rendered.flatMap(({ source, headings, terms }, page) =>
      source === testsFolder
        ? []
        : [
            ...headings.map(({ text, id }) => [page, text, id]),
            ...terms.map(({ text, id }) => [page, text, id, true]),
          ],
    ),
  };
}
