import { html } from './html.ts';

/** The page for an unknown address below `/docs/`. `root` is the relative address of the documentation. */
export function missingPage(root: string, version: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found · Session launch service</title>
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${root}../site/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}../site/site.css">
<link rel="stylesheet" href="${root}../site/docs.css">
</head>
<body class="docs">
<header class="top">
<div class="wide bar">
<a class="brand" href="${root}../"><img src="${root}../site/icon.svg" alt="" width="32" height="32">Session launch</a>
<nav aria-label="Main">
<a href="${root}">Docs</a>
<a href="${root}../reference">API reference</a>
</nav>
</div>
</header>
<div class="wide">
<main id="main">
<article>
<h1>Page not found</h1>
<p>The documentation of version ${version} has no page at this address.</p>
<p><a href="${root}">Go to the documentation</a></p>
</article>
</main>
</div>
</body>
</html>
`.text;
}
