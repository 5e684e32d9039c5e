import { publicApi } from '@session-launch/contract/public-api';
import { type DemoCard, demoProjectId } from './demo-cards.ts';
import { type Html, html, nothing } from './html.ts';

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
  const { version, engine, problem, cards } = view;
  const experienceId = cards[0]?.experienceId ?? 'exp_your_experience';
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
${view.talks && cards.length > 0 ? scripts : nothing}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="wide bar">
<a class="brand" href="./"><img src="site/icon.svg" alt="" width="32" height="32">Session launch</a>
<nav aria-label="Main">
<a href="reference">API reference</a>
<a href="openapi.json">OpenAPI</a>
</nav>
</div>
</header>
<main id="main">
<section class="wide hero" aria-labelledby="title">
<div class="intro">
${status(problem)}
<h1 id="title">Every conversation starts with a launch.</h1>
<p class="lead">This service mints sessions for real-time avatars in your own application. Send the id of an experience, and it returns a manifest: everything that a client needs to run the session, including a short-lived token.</p>
<p class="actions"><a class="button" href="reference">Read the API reference</a><a class="button quiet" href="openapi.json">Get openapi.json</a></p>
<dl class="facts">
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Contract</dt><dd>${(publicApi.info as { version: string }).version}</dd></div>
<div><dt>Store</dt><dd>${engine === 'embedded' ? 'Embedded PostgreSQL' : 'PostgreSQL'}</dd></div>
</dl>
</div>
${recipes(view.baseUrl, experienceId)}
</section>
${cards.length === 0 ? nothing : gallery(cards, view.talks)}
<section class="wide places" aria-labelledby="places">
<h2 id="places">Where things are</h2>
<ul>
${view.consoleUrl === undefined ? nothing : place(view.consoleUrl, 'Console', 'Projects, experiences, keys and sessions. Sign in with the link that the start of the service printed.')}${[
  place('reference', 'API reference', 'Every route, with its fields, errors and examples.'),
  place('openapi.json', '/openapi.json', 'The same as OpenAPI 3.1, for tools and generators.'),
  place('.well-known/jwks.json', '/.well-known/jwks.json', 'Public keys, to verify session tokens with.'),
  place('healthz', '/healthz', 'Is the process alive?'),
  place('readyz', '/readyz', 'Can it mint? For load balancers.'),
]}
</ul>
</section>
</main>
<footer class="wide foot"><p>Session launch service ${version}, under the Apache License 2.0</p></footer>
</body>
</html>
`.text;
}

function status(problem: string | undefined): Html {
  return problem === undefined
    ? html`<p class="status"><span class="dot"></span>Ready to mint</p>`
    : html`<p class="status down"><span class="dot"></span>Cannot mint: ${problem}</p>`;
}

function recipes(baseUrl: string, experienceId: string): Html {
  return html`<div class="recipes">
<figure>
<figcaption><strong>From a backend</strong> with an API key</figcaption>
<pre tabindex="0"><code>curl -X POST ${baseUrl}/v1/sessions \\
  -H <i>"Authorization: Bearer <b>$API_KEY</b>"</i> \\
  -H <i>"Content-Type: application/json"</i> \\
  -d <i>'{"experienceId":"${experienceId}"}'</i></code></pre>
</figure>
<figure>
<figcaption><strong>From a page</strong> on an allowed origin, no key</figcaption>
<pre tabindex="0"><code>await fetch(<i>'${baseUrl}/v1/browser-sessions'</i>, {
  method: <i>'POST'</i>,
  headers: { <i>'Content-Type'</i>: <i>'application/json'</i> },
  body: JSON.stringify({ experienceId: <i>'${experienceId}'</i> }),
});</code></pre>
</figure>
</div>`;
}

const scripts = html`<script src="sdk/v2/session-launch.js" defer></script>
<script src="site/talk.js" defer></script>`;

function gallery(cards: readonly DemoCard[], talks: boolean): Html {
  const hint = html` Press Start to talk with them. Each conversation shows whether its answers come from a written script or from a model.`;
  return html`<section class="wide gallery" aria-labelledby="demo">
<h2 id="demo">The demo catalog</h2>
<p class="sub">Published experiences of <code>${demoProjectId}</code>, ready to launch. Edit <code>examples/demo.yaml</code> and apply it to make them yours.${talks ? hint : nothing}</p>
<ul class="cards">
${cards.map((card) => cardView(card, talks))}
</ul>
</section>`;
}

function start({ title, paired }: DemoCard): Html {
  const choice =
    paired === undefined
      ? nothing
      : html`<label>Learn <select>${paired.map(({ tag, name }) => html`<option value="${tag}">${name}</option>`)}</select></label>`;
  return html`<p class="go">${choice}<button type="button" class="button talk" aria-label="Start ${title}">Start</button></p>`;
}

function cardView(card: DemoCard, talks: boolean): Html {
  const { title, experienceId, badges, art } = card;
  const scene =
    art === undefined
      ? html`<img class="back" src="site/voice.svg" alt="">`
      : html`<img class="back" src="${relative(art.background)}" alt=""><img class="front" src="${relative(art.avatar)}" alt="${art.names}">`;
  return html`<li class="card" data-experience="${experienceId}">
<div class="art">${scene}</div>
<div class="about">
<h3>${title}</h3>
<p class="badges">${badges.map((badge) => html`<span>${badge}</span>`)}</p>
<p class="id"><code>${experienceId}</code></p>
${talks ? start(card) : nothing}
</div>
</li>
`;
}

function place(href: string, name: string, text: string): Html {
  return html`<li><a href="${href}"><strong>${name}</strong><span>${text}</span></a></li>
`;
}

/** Makes a catalog path relative: it starts at the service's root, which need not be the host's root. */
function relative(path: string): string {
  return path.replace(/^\/+/, '');
}
