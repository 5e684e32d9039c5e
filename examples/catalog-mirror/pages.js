/** A page with a card for each experience. The element resolves the paths of the pictures against `base-url`. */
export function galleryPage(launchUrl, experiences) {
  const cards = experiences.map(({ slug, title, galleryThumb }) => {
    const images = galleryThumb ?? {};
    return `<li><a href="/talk/${escaped(slug)}">
<experience-thumbnail title="${escaped(title)}" base-url="${escaped(launchUrl)}"${attribute('avatar-image', images.avatarImage)}${attribute('background-image', images.backgroundImage)}></experience-thumbnail>
<span>${escaped(title)}</span></a></li>`;
  });
  return page(launchUrl, 'Gallery', `<ul>\n${cards.join('\n')}\n</ul>`);
}

/** The page that a card links to. Its player gets its sessions through the relay. */
export function talkPage(launchUrl, { experienceId, title }) {
  const player = `<session-experience experience-id="${escaped(experienceId)}" relay-url="/api/launch" leave-url="/api/leave"></session-experience>`;
  return page(launchUrl, title, `${player}\n<p><a href="/">Back to the gallery</a></p>`);
}

function page(launchUrl, title, body) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/gallery.css">
<script src="${escaped(launchUrl)}/sdk/v2/session-launch.js"></script>
</head>
<body>
<h1>${escaped(title)}</h1>
${body}
</body>
</html>
`;
}

function attribute(name, value) {
  return value ? ` ${name}="${escaped(value)}"` : '';
}

/** Escapes a text for HTML: titles may contain any characters. */
function escaped(text) {
  return String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
