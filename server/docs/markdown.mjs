// Turns the Markdown of one page into HTML: heading anchors, tables that scroll, resolved links, code with colours.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked } from 'marked';
import { escaped, highlighted } from './highlight.mjs';

/** The anchor of a heading, as GitHub generates it. */
const anchorOf = (heading) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The text of a heading without its markup. */
const plain = (text) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]|(?<!\w)_|_(?!\w)/g, '');

/**
 * Renders a page. `resolve` maps a link to an address, or to `undefined` if nothing is served there. Returns the HTML, the title, the first
 * paragraph, the headings and the terms: table rows that start with one piece of code, such as a variable or an error code.
 */
export function renderPage(text, { root, resolve, pictureOf }) {
  const found = { title: '', description: '', headings: [], terms: [] };
  const used = new Map();
  const unique = (name) => {
    const count = used.get(name) ?? 0;
    used.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  };
  let pictures = 0;
  const picture = (attributes) => {
    const source = /\bsrc="([^"]+)"/.exec(attributes)?.[1];
    const size = source === undefined ? undefined : sizeOf(join(root, pictureOf(source)));
    const lazy = pictures++ === 0 ? '' : ' loading="lazy"';
    return `<img${attributes.replace(/\s(?:width|height)="\d*"/g, '')}${size ? ` width="${size.width}" height="${size.height}"` : ''}${lazy}>`;
  };
  const tokens = new Marked().lexer(text);
  // Before rows, so that a row never takes the anchor of a heading.
  const reserved = new Set(headingsOf(tokens).map((token) => anchorOf(token.text)));

  const renderer = {
    heading({ tokens: inner, depth, text: heading }) {
      const html = this.parser.parseInline(inner);
      if (depth === 1 && found.title === '') {
        found.title = plain(heading);
        unique(anchorOf(heading));
        return `<h1 id="${escaped(anchorOf(heading))}">${html}</h1>\n`;
      }
      const id = unique(anchorOf(heading));
      found.headings.push({ depth, id, text: plain(heading) });
      return `<h${depth} id="${escaped(id)}">${html} <a class="anchor" href="#${escaped(id)}" aria-label="Link to ${escaped(plain(heading))}">#</a></h${depth}>\n`;
    },
    paragraph({ tokens: inner, text: source }) {
      if (found.description === '') found.description = plain(source).replaceAll('\n', ' ');
      return `<p>${this.parser.parseInline(inner)}</p>\n`;
    },
    code: ({ text: code, lang = '' }) =>
      `<div class="code"><pre tabindex="0"><code>${highlighted(code, lang.split(' ')[0])}</code></pre></div>\n`,
    link({ href, tokens: inner }) {
      const html = this.parser.parseInline(inner);
      const address = resolve(href);
      if (address === undefined) return html;
      return `<a href="${escaped(address)}"${/^https?:/.test(address) ? ' rel="noreferrer"' : ''}>${html}</a>`;
    },
    image: ({ href, text: alt }) => picture(` src="${escaped(resolve(href) ?? href)}" alt="${escaped(alt)}"`),
    html: ({ text: html }) => html.replace(/<img([^>]*)>/g, (_, attributes) => picture(attributes)),
    table({ header, rows, align }) {
      const cell = (tag, { tokens: inner }, column) =>
        `<${tag}${align[column] ? ` class="${align[column]}"` : ''}>${this.parser.parseInline(inner)}</${tag}>`;
      const row = (cells) => {
        const term = /^`([^`]+)`$/.exec(cells[0].text)?.[1];
        const body = cells.map((one, column) => cell('td', one, column)).join('');
        if (term === undefined) return `<tr>${body}</tr>`;
        const name = anchorOf(term);
        const id = name === '' || reserved.has(name) || used.has(name) ? undefined : unique(name);
        if (id === undefined) return `<tr>${body}</tr>`;
        found.terms.push({ id, text: term });
        return `<tr id="${escaped(id)}">${body}</tr>`;
      };
      return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${header
        .map((one, column) => cell('th', one, column))
        .join('')}</tr></thead><tbody>${rows.map(row).join('\n')}</tbody></table></div>\n`;
    },
  };
  const html = new Marked({ renderer }).parser(tokens);
  return { ...found, html };
}

function headingsOf(tokens) {
  return tokens.filter((token) => token.type === 'heading');
}

/** Width and height of a WebP file, from its header. */
function sizeOf(path) {
  const file = readFileSync(path);
  const format = file.toString('latin1', 12, 16);
  if (format === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  if (format === 'VP8 ')
    return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
  throw new Error(`${path} is no WebP picture with a known header`);
}
