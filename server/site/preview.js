// Exchanges the code of a preview link for a session and opens the player.
const { SessionLaunch } = globalThis;
const [heading, welcome, talk, form, note, about, paired, version, looks, pageTitle] = [
  'title',
  'welcome',
  'talk',
  'begin',
  'note',
  'about',
  'paired',
  'version',
  'looks',
  'page-title',
].map((id) => document.getElementById(id));
const code = location.hash.slice(1);
const language = form.elements.language;
/** The console, when it shows this page in a frame without a code. The policy lets no other site do so. */
const consolePage = code === '' && window.parent !== window ? window.parent : undefined;
const askAgain = 'Ask the person who sent it for a new one.';

/** Messages for refusals that another press of Start cannot resolve, or that need an answer first. */
const words = {
  PREVIEW_NOT_FOUND: `It has expired, was withdrawn, or has started as many conversations as it may. ${askAgain}`,
  RATE_LIMITED: 'This link has started many conversations in the last minute. Try again in a minute.',
  SECONDARY_LOCALE_REQUIRED: 'This experience works with two languages. Choose the one to learn.',
  INVALID_REQUEST: 'This is not a language. Write it as a tag such as es or pt-BR.',
  NO_PREVIEW: 'The preview cannot start. The console says why.',
};

/** The body that starts a session. Without locale, the language of the link applies, or that of the browser, in Accept-Language. */
async function requested() {
  if (consolePage !== undefined) return grantOfConsole();
  const secondaryLocale = language.value.trim();
  return { code, ...(secondaryLocale === '' ? {} : { secondaryLocale }) };
}

/** The code and the choices of the operator. The console gives them for each session. */
async function grantOfConsole() {
  const { port1, port2 } = new MessageChannel();
  const answered = new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  consolePage.postMessage({ preview: 'code' }, '*', [port2]);
  const { grant } = await answered;
  port1.close();
  if (grant === undefined) throw new SessionLaunch.ExperienceError('NO_PREVIEW', words.NO_PREVIEW);
  return grant;
}

async function mint(_fields, { signal }) {
  const { ExperienceError } = SessionLaunch;
  const asked = await requested();
  let response;
  let body;
  try {
    response = await fetch('../preview-sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(asked),
      credentials: 'omit',
      cache: 'no-store',
      signal,
    });
    body = await response.json();
  } catch (cause) {
    throw new ExperienceError('NETWORK', 'The service did not answer.', { cause, retryable: true });
  }
  const { status } = response;
  if (!response.ok)
    throw new ExperienceError(body.error.code, body.error.message, {
      status,
      requestId: body.error.requestId,
      retryable: status >= 500,
    });
  const { title, revision } = body.launch.experience;
  version.textContent = `Revision ${revision} · ${title}`;
  document.title = `${title} · Preview`;
  pageTitle.textContent = document.title;
  return body;
}

/** Ends the running session, without going back to the welcome. */
let endRunning = () => {};

function start({ takesFocus }) {
  endRunning();
  const experience = SessionLaunch.createExperience({ mint });
  // Must be called in the handler of the press; otherwise browsers block the audio.
  const starting = experience.start();
  note.textContent = '';
  welcome.hidden = true;
  talk.hidden = false;
  const player = experience.attach(talk, { closeButton: true, onClose: () => setTimeout(close) });
  if (takesFocus) player.element.focus({ preventScroll: true });
  tell('talking');
  starting.catch((error) => {
    if (!(error.code in words) || !isCurrent) return;
    close();
    refuse(error.code);
  });
  let isCurrent = true;
  endRunning = () => {
    isCurrent = false;
    endRunning = () => {};
    experience.end();
    player.detach();
  };

  function close() {
    if (!isCurrent) return;
    endRunning();
    talk.hidden = true;
    welcome.hidden = false;
    tell('idle');
    if (takesFocus || document.hasFocus()) form.querySelector('button').focus();
  }
}

/** Tells the console the state of this page. It contains no secret. */
function tell(preview) {
  consolePage?.postMessage({ preview }, '*');
}

function refuse(reason) {
  if (consolePage !== undefined && reason === 'PREVIEW_NOT_FOUND') {
    // The console's own preview was withdrawn. The next press gets another one.
    tell('withdrawn');
    note.textContent = 'This preview was withdrawn. Press Start for a new one.';
    return;
  }
  note.textContent = words[reason];
  note.classList.toggle('question', reason === 'SECONDARY_LOCALE_REQUIRED');
  if (reason === 'PREVIEW_NOT_FOUND') stop('This link does not work any more');
  if (reason === 'SECONDARY_LOCALE_REQUIRED') {
    paired.hidden = false;
    language.required = true;
    nameLanguages();
  }
  if (!paired.hidden) language.focus();
}

function stop(title) {
  heading.textContent = title;
  version.textContent = '';
  form.hidden = true;
  about.hidden = true;
}

function nameLanguages() {
  const names = new Intl.DisplayNames([navigator.language], { type: 'language' });
  const tags = 'ar de en es fr hi it ja ko nl pl pt-BR pt-PT sv tr uk zh-Hans'.split(' ');
  const options = tags.map((tag) => new Option(names.of(tag), tag));
  document.getElementById('languages').replaceChildren(...options);
}

/** The picture of the card for characters without a face. */
const [voice] = looks.children;

/** Shows the characters of the draft on the card before their location. */
function showLooks({ scene, characters }) {
  const hasFace = characters.some(({ pictures }) => pictures.length > 0);
  looks.classList.toggle('plain', hasFace && scene === undefined);
  if (!hasFace) {
    looks.replaceChildren(voice);
    return;
  }
  const figures = characters.slice(0, 3).map(({ name, pictures }) => {
    const figure = document.createElement('span');
    figure.className = 'figure';
    figure.append(pictureOf(pictures, name));
    return figure;
  });
  const background = scene === undefined ? [] : [backgroundOf(scene)];
  looks.replaceChildren(...background, ...figures);
}

function backgroundOf(path) {
  const picture = pictureOf([path], '');
  picture.className = 'scene';
  picture.onerror = () => {
    if (picture.isConnected) looks.classList.add('plain');
    picture.remove();
  };
  return picture;
}

/** The first of the pictures that can be loaded; for a character without any, its initials. */
function pictureOf([path, ...others], name) {
  if (path === undefined) {
    const initials = document.createElement('span');
    initials.className = 'initials';
    initials.textContent = name
      .split(/\s+/)
      .slice(0, 2)
      .map((word) => [...word][0] ?? '')
      .join('')
      .toUpperCase();
    return initials;
  }
  const picture = new Image();
  picture.className = path.endsWith('/full.svg') ? 'full' : '';
  picture.alt = name;
  picture.onerror = () => picture.replaceWith(pictureOf(others, name));
  picture.src = SessionLaunch.assetUrl(path, { baseUrl: new URL('..', location.href).href });
  return picture;
}

function listenToConsole() {
  heading.textContent = 'Talk to your draft';
  about.textContent = 'It speaks and listens as it will for visitors.';
  addEventListener('message', ({ source, data }) => {
    if (source !== consolePage) return;
    // Without focus: the operator goes on in the console.
    if (data?.preview === 'start') start({ takesFocus: false });
    if (data?.preview === 'looks') showLooks(data.looks);
  });
  tell('ready');
}

document.body.classList.toggle('framed', window.parent !== window);
addEventListener('hashchange', () => location.reload());
if (code === '' && consolePage === undefined) {
  note.textContent = `The part of the address after the # is missing. ${askAgain}`;
  stop('This link is incomplete');
} else if (!SessionLaunch) {
  note.textContent = 'The player could not be loaded. Reload the page.';
  tell('failed');
} else {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (talk.hidden) start({ takesFocus: true });
  });
  if (consolePage !== undefined) listenToConsole();
}
