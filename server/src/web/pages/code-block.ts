import type { Snippet } from '@session-launch/contract/snippets';
import { type Html, html } from './html.ts';

/** A code block of the landing page. `id` is for a copy button elsewhere on the page. */
export function code(snippet: Snippet, id?: string): Html {
  const lines = snippet.split('\n');
  return html`<pre tabindex="0"><code${id === undefined ? html`` : html` id="${id}"`}>${lines.map(
    (line, i) => html`<span class="line">${highlighted(line)}${i < lines.length - 1 ? '\n' : ''}</span>`,
  )}</code></pre>`;
}

/** Marks strings, variables of the shell and names of elements. The text of the block stays that of the snippet. */
function highlighted(line: string): Html[] {
  return line.split(/('(?:[^'\\]|\\.)*'|"[^"]*"|(?<=<\/?)[a-z-]+)/).map((part, i) => {
    if (i % 2 === 0) return html`${part}`;
    if (!/^['"]/.test(part)) return html`<b>${part}</b>`;
    const pieces = part
      .split(/(\$[A-Z_]+)/)
      .map((piece, j) => (j % 2 === 0 ? html`${piece}` : html`<b>${piece}</b>`));
    return html`<i>${pieces}</i>`;
  });
}
