// The documentation: search over headings and terms, buttons for copy.js, and the menus of small screens.
const maxResults = 14;

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  block.append(button);
}

const toggles = [...document.querySelectorAll('.toggle')];
const setOpen = (toggle, isOpen) => {
  toggle.setAttribute('aria-expanded', String(isOpen));
  document.getElementById(toggle.getAttribute('aria-controls')).classList.toggle('open', isOpen);
};
for (const toggle of toggles) {
  toggle.addEventListener('click', () => {
    const isOpen = toggle.getAttribute('aria-expanded') === 'true';
    for (const other of toggles) setOpen(other, other === toggle && !isOpen);
    if (!isOpen) scrollTo(0, 0);
  });
}
document.getElementById('toc')?.addEventListener('click', ({ target }) => {
  if (target.closest('a')) for (const toggle of toggles) setOpen(toggle, false);
});
const menu = document.getElementById('menu');
const here = menu.querySelector('ul [aria-current]');
// Only the menu scrolls, not the page.
if (here)
  menu.scrollTop =
    here.getBoundingClientRect().top - menu.getBoundingClientRect().top - menu.clientHeight / 2;

// Marks the section that is being read.
const entries = new Map(
  [...document.querySelectorAll('.toc a')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
);
if (entries.size > 0) {
  const headings = [...entries.keys()].map((id) => document.getElementById(id));
  let marked;
  const mark = () => {
    const line = innerHeight / 4;
    const above = headings.filter((heading) => heading.getBoundingClientRect().top < line);
    const link = entries.get(above.at(-1)?.id);
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'true');
    marked = link;
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}

const input = document.getElementById('search');
const list = document.getElementById('results');
const status = document.getElementById('found');
let loading;
let selected = -1;

/** Loads the index once: every page, heading and term with its address. */
function load() {
  loading ??= fetch(`${input.dataset.docs}search.json`)
    .then((response) => response.json())
    .then(({ pages, entries: all }) => [
      ...pages.map(([title, url]) => ({ text: title, page: '', url, isPage: true })),
      ...all.map(([page, text, id, isTerm]) => ({
        text,
        page: pages[page][0],
        url: `${pages[page][1]}#${id}`,
        isTerm,
      })),
    ]);
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

/** Lower is better; `undefined` if a word is missing. */
function rank({ text, page, isPage, isTerm }, query, words) {
  const heading = text.toLowerCase();
  const all = `${heading} ${page.toLowerCase()}`;
  if (!words.every((word) => all.includes(word))) return undefined;
  // The title of a page does not list all of its headings.
  if (!words.some((word) => heading.includes(word))) return undefined;
  const place = heading === query ? 0 : heading.startsWith(query) ? 1 : heading.includes(query) ? 2 : 3;
  return place * 3 + (isPage ? 0 : isTerm ? 2 : 1) + text.length / 1_000;
}

async function search() {
  const query = input.value.trim().toLowerCase();
  if (query === '') return close();
  const index = await load();
  // The text changed while the index was loading.
  if (query !== input.value.trim().toLowerCase()) return;
  const words = query.split(/\s+/);
  const found = index
    .map((entry) => ({ ...entry, rank: rank(entry, query, words) }))
    .filter((entry) => entry.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, maxResults);
  list.replaceChildren(...(found.length === 0 ? [none(input.value.trim())] : found.map(option)));
  list.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  status.textContent = found.length === 0 ? 'No results' : `${found.length} results`;
  select(found.length === 0 ? -1 : 0);
}

function option({ text, page, url }, number) {
  const item = document.createElement('li');
  item.id = `result-${number}`;
  item.setAttribute('role', 'option');
  item.dataset.href = input.dataset.docs + url;
  const title = document.createElement('strong');
  title.textContent = text;
  const where = document.createElement('span');
  where.textContent = page === '' ? 'Page' : page;
  item.append(title, where);
  return item;
}

function none(query) {
  const item = document.createElement('li');
  item.className = 'none';
  item.setAttribute('role', 'option');
  item.setAttribute('aria-disabled', 'true');
  item.textContent = `No heading contains “${query}”.`;
  return item;
}

function select(number) {
  const items = [...list.querySelectorAll('[data-href]')];
  items[selected]?.removeAttribute('aria-selected');
  selected = number;
  const item = items[number];
  if (item === undefined) return input.removeAttribute('aria-activedescendant');
  item.setAttribute('aria-selected', 'true');
  item.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', item.id);
}

function open(item) {
  if (item === undefined) return;
  close();
  input.value = '';
  location.assign(item.dataset.href);
}

function close() {
  list.hidden = true;
  list.replaceChildren();
  selected = -1;
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
  status.textContent = '';
}

input.addEventListener('focus', () => load().catch(() => {}));
input.addEventListener('input', () => search().catch(() => close()));
input.addEventListener('blur', close);
input.addEventListener('keydown', (event) => {
  const items = [...list.querySelectorAll('[data-href]')];
  const last = items.length - 1;
  if (event.key === 'ArrowDown') select(selected >= last ? 0 : selected + 1);
  else if (event.key === 'ArrowUp') select(selected <= 0 ? last : selected - 1);
  else if (event.key === 'Enter') open(items[selected]);
  else if (event.key === 'Escape' && !list.hidden) close();
  else return;
  event.preventDefault();
});
// Before the focus leaves the field, which would close the list.
list.addEventListener('mousedown', (event) => {
  event.preventDefault();
  open(event.target.closest('[data-href]') ?? undefined);
});
addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
