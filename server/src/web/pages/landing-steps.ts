import { curlSnippet, fetchSnippet } from '@session-launch/contract/snippets';
import { code } from './code-block.ts';
import { type Html, html } from './html.ts';

interface StepsView {
  baseUrl: string;
  experienceId: string;
  consoleUrl: string | undefined;
}

/** How it works: console, page, backend. */
export function steps({ baseUrl, experienceId, consoleUrl }: StepsView): Html {
  const console =
    consoleUrl === undefined
      ? html`<a href="docs/console">Use the console</a>`
      : html`<a href="${consoleUrl}">Open the console</a><a href="docs/creators">Make a character</a>`;
  return html`<section class="wide steps" aria-labelledby="steps">
<h2 id="steps">How it works</h2>
<ol>
<li>
<div class="words">
<h3>Make a character in the console</h3>
<p>Write what it knows, choose its voice and its pictures, and try it beside the form. Publish when you like it. Visitors see a change only then.</p>
<p class="links">${console}</p>
</div>
<picture>
<source media="(prefers-color-scheme: dark)" srcset="docs/pictures/readme-editor-dark.webp">
<img src="docs/pictures/readme-editor-light.webp" alt="The editor of the console: questions and answers of a character, and beside them its preview" width="1200" height="750" loading="lazy">
</picture>
</li>
<li>
<div class="words">
<h3>Put it on a page</h3>
<p>Two lines of HTML, a React component, or your own interface on top of the SDK. A page needs no key: the project lists the origins that may start sessions.</p>
<p class="links"><a href="docs/embed">Show a character on a page</a><a href="docs/sdk-browser">Browser SDK</a></p>
</div>
<figure class="code">
<figcaption><strong>From a script</strong> on an allowed origin, no key</figcaption>
${code(fetchSnippet({ publicUrl: baseUrl, experienceId }))}
</figure>
</li>
<li>
<div class="words">
<h3>Decide in your backend who may talk</h3>
<p>Your server creates the session with an API key and hands it to its own page. You know the user, and you set the limits. Every session is stored with its outcome.</p>
<p class="links"><a href="docs/backend-tutorial">A page with its own backend</a><a href="reference">API reference</a></p>
</div>
<figure class="code">
<figcaption><strong>From a backend</strong> with an API key</figcaption>
${code(curlSnippet({ publicUrl: baseUrl, key: { variable: 'API_KEY' }, body: { experienceId } }))}
</figure>
</li>
</ol>
</section>`;
}
