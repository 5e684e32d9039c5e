import { html } from './html.ts';

/** The page of a preview link, at `/preview/`. `site/preview.js` reads the code from the fragment of its URL. */
export const previewPage = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Preview · Session launch service</title>
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="../site/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="../site/site.css">
<link rel="stylesheet" href="../site/preview.css">
<script src="../sdk/v2/session-launch.js" defer></script>
<script src="../site/preview.js" defer></script>
</head>
<body class="preview">
<header class="top">
<div class="wide bar">
<a class="brand" href="../"><img src="../site/icon.svg" alt="" width="28" height="28"><span>Session launch</span></a>
<p class="version"><span class="tag">Preview</span> <span id="version"></span></p>
</div>
</header>
<main>
<h1 class="unseen" id="page-title">Preview</h1>
<section class="welcome" id="welcome" aria-labelledby="title">
<div class="looks" id="looks"><img class="scene" src="../site/voice.svg" alt="" width="320" height="240"></div>
<div class="words">
<h2 id="title">Try this version</h2>
<p id="about">This link opens one exact version of an experience. It may be a draft that visitors do not see yet.</p>
<noscript><p class="note">This page needs JavaScript.</p></noscript>
<p class="note" id="note" role="alert"></p>
<form id="begin" hidden>
<label id="paired" hidden>Language to learn
<input name="language" list="languages" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="such as es or pt-BR">
<datalist id="languages"></datalist></label>
<button type="submit" class="button">Start</button>
</form>
</div>
</section>
<div class="talk" id="talk" hidden></div>
</main>
</body>
</html>
`.text;
