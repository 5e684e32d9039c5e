// Lets the characters of the demo talk: a press opens the player where the picture was.
const { SessionLaunch } = globalThis;
let open;

function talk(card) {
  open?.();
  const art = card.querySelector('.art');
  const stage = document.createElement('div');
  stage.className = 'stage';
  const language = card.querySelector('select')?.value;
  const experience = SessionLaunch.createExperience({
    experienceId: card.dataset.experience,
    ...(language ? { secondaryLocale: language } : {}),
  });
  const close = () => {
    if (open !== close) return;
    open = undefined;
    experience.end();
    player.detach();
    stage.remove();
    card.classList.remove('talking');
    card.querySelector('.talk').focus();
  };
  open = close;
  // Must be called in the click handler; otherwise browsers block the audio.
  experience.start().catch(() => {});
  card.classList.add('talking');
  art.append(stage);
  const player = experience.attach(stage, {
    closeButton: true,
    poster: card.querySelector('.back')?.src,
    onClose: () => setTimeout(close),
  });
  player.element.focus({ preventScroll: true });
  stage.scrollIntoView({ block: 'nearest' });
}

if (SessionLaunch) {
  // Preselects a language to learn that is not the visitor's own.
  const own = navigator.language.slice(0, 2);
  for (const option of document.querySelectorAll('.go option'))
    if (option.value.startsWith(own) && option.selected) option.nextElementSibling.selected = true;
  for (const card of document.querySelectorAll('[data-experience]')) {
    card.querySelector('.talk').addEventListener('click', (event) => {
      // The second press of a double click meant the first.
      if (event.detail < 2) talk(card);
    });
  }
}
