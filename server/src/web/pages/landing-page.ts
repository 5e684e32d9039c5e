import { publicApi } from '@session-launch/contract/public-api';
import { htmlSnippet } from '@session-launch/contract/snippets';
import { code } from './code-block.ts';
import type { DemoCard } from './demo-cards.ts';
import { type Html, html, nothing } from './html.ts';
import { gallery, scene, start } from './landing-gallery.ts';
import { steps } from './landing-steps.ts';

export interface LandingView {
  version: string;
  engine: 'embedded' | 'postgres';
  baseUrl: string;
  /** Why sessions cannot be created at the moment; absent if they can. */
  problem: string | undefined;
  cards: readonly DemoCard[];
  /** Whether a runtime is available. */
  talks: boolean;
  /** URL of the console, if the visitor's browser runs on this machine. */
  consoleUrl?: string | undefined;
}

/** The page at `/`. Links are relative, so it also works below a path. */
export function landingPage(view: LandingView): string {
  const { version, cards, consoleUrl } = view;
  // An experience that needs a choice of language would take a second press.
  const first = cards.find(({ paired }) => paired === undefined) ?? cards[0];
  const experienceId = first?.experienceId ?? 'exp_your_experience';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Session launch service</title>
<meta name="description" content="Launches real-time avatar sessions for the applications that embed them.">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="site/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="site/site.css">
<link rel="stylesheet" href="site/landing.css">
${view.talks && cards.length > 0 ? talkScripts : nothing}<script src="site/copy.js" defer></script>
<script src="site/landing.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="wide bar">
<a class="brand" href="./"><img src="site/icon.svg" alt="" width="32" height="32">Session launch</a>
<nav aria-label="Main">
<a href="docs/">Docs</a>
<a href="reference">API reference</a>
${consoleUrl === undefined ? nothing : html`<a class="spare" href="${consoleUrl}">Console</a>`}
</nav>
</div>
</header>
<main id="main">
<section class="wide hero" aria-labelledby="title">
<div class="intro">
${status(view.problem)}
<h1 id="title">Put a character that talks on your page</h1>
<p class="lead">${lead(first, view.talks)} Two lines of HTML put the same character on your own site, and the service behind it runs on your machines.</p>
</div>
${stage(first, view.talks)}
<div class="embed">
<figure class="code">
<figcaption><strong>Your page</strong><button type="button" class="copy" data-copies="two-lines">Copy</button></figcaption>
${code(htmlSnippet({ publicUrl: view.baseUrl, experienceId }), 'two-lines')}
</figure>
<p class="actions"><a class="button" href="docs/quickstart">Get started</a><a class="button quiet" href="docs/">Read the docs</a></p>
</div>
</section>
${cards.length === 0 ? nothing : gallery(cards, view.talks)}
${steps({ baseUrl: view.baseUrl, experienceId, consoleUrl })}
<section class="wide places" aria-labelledby="places">
<h2 id="places">Where things are</h2>
<ul>
${consoleUrl === undefined ? nothing : place(consoleUrl, 'Console', 'Projects, experiences, keys and sessions. Sign in with the link that the start of the service printed.')}${[
  place('docs/', 'Documentation', 'Tutorials, guides and reference of this version.'),
  place('reference', 'API reference', 'Every route, with its fields, errors and examples.'),
  place('openapi.json', '/openapi.json', 'The same as OpenAPI 3.1, for tools and generators.'),
  place('.well-known/jwks.json', '/.well-known/jwks.json', 'Public keys, to verify session tokens with.'),
  place('healthz', '/healthz', 'Is the process alive?'),
  place('readyz', '/readyz', 'Readiness check for load balancers.'),
]}
</ul>
</section>
</main>
<footer class="foot">
<div class="wide">
<p>Session launch service, under the Apache License 2.0</p>
<dl class="facts">
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Contract</dt><dd>${(publicApi.info as { version: string }).version}</dd></div>
<div><dt>Store</dt><dd>${view.engine === 'embedded' ? 'Embedded PostgreSQL' : 'PostgreSQL'}</dd></div>
</dl>
</div>
</footer>
</body>
</html>
`.text;
}

const talkScripts = html`<script src="sdk/v2/session-launch.js" defer></script>
<script src="site/talk.js" defer></script>
`;

function status(problem: string | undefined): Html {
  return problem === undefined
    ? html`<p class="status"><span class="dot"></span>Ready to create sessions</p>`
    : html`<p class="status down"><span class="dot"></span>Cannot create sessions: ${problem}</p>`;
}

function lead(first: DemoCard | undefined, talks: boolean): string {
  if (first === undefined || !talks) return 'Visitors speak with it in the browser, or type.';
  return `Press the button, allow the microphone and speak with ${first.names || 'it'}. You can also type.`;
}

/** The first character, as large as the player that takes its place. */
function stage(first: DemoCard | undefined, talks: boolean): Html {
  if (first === undefined)
    return html`<div class="stage-card">
<div class="art"><img class="back" src="site/voice.svg" alt=""></div>
<p class="caption">No demo runs here. <a href="docs/creators">Make a character</a> in ten minutes.</p>
</div>`;
  const { title, names } = first;
  const call = talks
    ? start(first, html`${names === '' ? 'Start' : `Talk with ${names}`}`)
    : html`<p class="caption">This service runs without a runtime, so its characters cannot talk here. <a href="docs/runtime">Connect one</a>.</p>`;
  return html`<div class="stage-card" data-experience="${first.experienceId}">
<div class="art">${scene(first)}</div>
<div class="about"><p class="scene">${title}</p>${call}</div>
</div>`;
}

function place(href: string, name: string, text: string): Html {
  return html`<li><a href="${href}"><strong>${name}</strong><span>${text}</span></a></li>
`;
}
