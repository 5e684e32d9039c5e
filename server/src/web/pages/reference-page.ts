import { html } from './html.ts';

/** The API reference: Scalar, served from its npm package, with this service's openapi.json. */
export const referencePage = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Session launch service</title>
<meta name="description" content="Every route of the session launch service.">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="site/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="site/reference.css">
</head>
<body>
<header class="home"><a href="./"><img src="site/icon.svg" alt="" width="26" height="26">Session launch</a></header>
<noscript><main>This page needs JavaScript. The contract itself is at <a href="openapi.json">openapi.json</a>.</main></noscript>
<div id="reference"></div>
<script src="site/before-scalar.js"></script>
<script src="site/scalar.js"></script>
<script src="site/reference.js"></script>
</body>
</html>
`.text;
