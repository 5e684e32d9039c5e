// The frame of a page: header with search, menu, contents, table of contents, links to the neighbours.
import { escaped } from './highlight.mjs';

/** Headings in the table of contents, if there are at least two. */
const tocDepths = [2, 3];
/** A longer table of contents shows only headings of the second level. */
const maxTocEntries = 40;

export function document(page) {
  const { title, description, root, version, html, menu, kind, previous, next, source } = page;
  const site = `${root}../`;
  const toc = tocOf(page.headings);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Session launch service</title>
<meta name="description" content="${escaped(shortened(description))}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${site}site/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${site}site/site.css">
<link rel="stylesheet" href="${site}site/docs.css">
<script src="${site}site/copy.js" defer></script>
<script src="${site}site/docs.js" defer></script>
</head>
<body class="docs">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="wide bar">
<a class="brand" href="${site}"><img src="${site}site/icon.svg" alt="" width="32" height="32">Session launch</a>
<nav aria-label="Main">
<a href="${root}" aria-current="${root === './' && page.url === '' ? 'page' : 'true'}">Docs</a>
<a href="${site}reference">API reference</a>
</nav>
</div>
</header>
<div class="tools">
<div class="wide">
<button type="button" class="toggle" id="menu-toggle" aria-controls="menu" aria-expanded="false">Menu</button>
<div class="search" role="search">
<input type="search" id="search" placeholder="Search the docs" aria-label="Search the headings of the documentation" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="results" autocomplete="off" spellcheck="false" data-docs="${root}">
<kbd>/</kbd>
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
<p class="unseen" role="status" id="found"></p>
</div>
${toc === '' ? '' : '<button type="button" class="toggle" id="toc-toggle" aria-controls="toc" aria-expanded="false">On this page</button>'}
</div>
</div>
<div class="wide columns">
<nav class="menu" id="menu" aria-label="Documentation">
<p class="version"><a href="${root}">Documentation</a> <span>${escaped(version)}</span></p>
${menu.map(menuGroup).join('\n')}
</nav>
<main id="main" tabindex="-1">
${kind === undefined ? '' : `<p class="kind">${kind}</p>`}
<article>
${html}</article>
<footer class="ways">
${way(previous, 'Previous', 'prev')}${way(next, 'Next', 'next')}
<p class="source">From <code>${escaped(source)}</code> of version ${escaped(version)}</p>
</footer>
</main>
${toc}
</div>
</body>
</html>
`;
}

function menuGroup({ name, items }) {
  let under;
  const entries = items.map((item) => {
    const heading =
      item.under === under || item.under === undefined
        ? ''
        : `<li class="under">${escaped(item.under)}</li>\n`;
    under = item.under;
    return `${heading}<li><a href="${escaped(item.href)}"${item.isCurrent ? ' aria-current="page"' : ''}>${escaped(item.title)}</a></li>`;
  });
  return `<h2>${escaped(name)}</h2>
<ul>
${entries.join('\n')}
</ul>`;
}

function tocOf(headings) {
  const all = headings.filter(({ depth }) => tocDepths.includes(depth));
  const shown = all.length > maxTocEntries ? all.filter(({ depth }) => depth === 2) : all;
  if (shown.length < 2) return '';
  const entries = shown.map(
    ({ depth, id, text }) => `<li class="level-${depth}"><a href="#${escaped(id)}">${escaped(text)}</a></li>`,
  );
  return `<nav class="toc" id="toc" aria-label="On this page">
<h2>On this page</h2>
<ul>
${entries.join('\n')}
</ul>
</nav>`;
}

function way(neighbour, label, rel) {
  if (neighbour === undefined) return '';
  return `<a class="way ${rel}" rel="${rel}" href="${escaped(neighbour.href)}"><span>${label}</span> ${escaped(neighbour.title)}</a>\n`;
}

function shortened(text) {
  return text.length <= 160 ? text : `${text.slice(0, 160).replace(/\s+\S*$/, '')}…`;
}
