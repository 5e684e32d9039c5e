// Exchanges the code of a preview link for a session and opens the player.
const { SessionLaunch } = globalThis;
const [heading, welcome, talk, form, note, about, paired, version] = [
  'title',
  'welcome',
  'talk',
  'begin',
  'note',
  'about',
  'paired',
  'version',
].map((id) => document.getElementById(id));
const code = location.hash.slice(1);
const language = form.elements.language;
const askAgain = 'Ask the person who sent it for a new one.';

/** Messages for refusals that another press of Start cannot resolve, or that need an answer first. */
const words = {
  PREVIEW_NOT_FOUND: `It has expired, was withdrawn, or has started as many conversations as it may. ${askAgain}`,
  RATE_LIMITED: 'This link has started many conversations in the last minute. Try again in a minute.',
  SECONDARY_LOCALE_REQUIRED: 'This experience works with two languages. Choose the one to learn.',
  INVALID_REQUEST: 'This is not a language. Write it as a tag such as es or pt-BR.',
};

async function mint(_fields, { signal }) {
  const { ExperienceError } = SessionLaunch;
  const secondaryLocale = language.value.trim();
  let response;
  let body;
  try {
    response = await fetch('../preview-sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      // Without locale, the language of the link applies, or that of the browser, which is in Accept-Language.
      body: JSON.stringify({ code, ...(secondaryLocale === '' ? {} : { secondaryLocale }) }),
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
  return body;
}

function start() {
  const experience = SessionLaunch.createExperience({ mint });
  // Must be called in the handler of the press; otherwise browsers block the audio.
  const starting = experience.start();
  note.textContent = '';
  welcome.hidden = true;
  talk.hidden = false;
  const player = experience.attach(talk, { closeButton: true, onClose: () => setTimeout(close) });
  player.element.focus({ preventScroll: true });
  starting.catch((error) => {
    if (!(error.code in words)) return;
    close();
    refuse(error.code);
  });

  function close() {
    if (talk.hidden) return;
    experience.end();
    player.detach();
    talk.hidden = true;
    welcome.hidden = false;
    form.querySelector('button').focus();
  }
}

function refuse(reason) {
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

// The console shows this page in a frame, with a heading of its own.
document.body.classList.toggle('framed', window.parent !== window);
addEventListener('hashchange', () => location.reload());
if (code === '') {
  note.textContent = `The part of the address after the # is missing. ${askAgain}`;
  stop('This link is incomplete');
} else if (!SessionLaunch) {
  note.textContent = 'The player could not be loaded. Reload the page.';
} else {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (talk.hidden) start();
  });
}
