import type { Page } from 'playwright-core';

/** Milliseconds from the click on Start, by the page's clock. */
export interface FirstSound {
  soundMs: number;
  mouthMs: number;
}

/** Checks the mouth shape once per animation frame; reads sound from the audio graph. */
const watchIt = `(() => {
  const { experience, shadowRoot } = document.querySelector('session-experience');
  const { shadowRoot: player } = shadowRoot.querySelector('.session-launch-player');
  let pressedAt;
  const note = ({ timeStamp }) => { pressedAt = timeStamp; };
  player.querySelector('.start').addEventListener('click', note, { once: true });
  const shapes = () => [...player.querySelectorAll('.figure')].map(
    ({ shadowRoot: drawing }) => drawing?.querySelector('[data-viseme]')?.dataset.viseme ?? 'sil',
  );
  window.firstSound = new Promise((resolve) => {
    const found = {};
    const look = () => {
      const ms = performance.now() - (pressedAt ?? Number.POSITIVE_INFINITY);
      if (ms > 0 && experience.output.level() > 0.005) found.soundMs ??= ms;
      // Before the press, the face of the conversation before may still move.
      if (ms > 0 && shapes().some((shape) => shape !== 'sil')) found.mouthMs ??= ms;
      if (found.soundMs !== undefined && found.mouthMs !== undefined) resolve(found);
      else requestAnimationFrame(look);
    };
    look();
  });
})()`;

/** Clicks Start on a page with `<session-experience>`, waits for the first sound and the first mouth movement, and ends the session. */
export async function firstSound(page: Page): Promise<FirstSound> {
  // Measures with a desktop viewport and with animations, as for most users.
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.evaluate(watchIt);
  await page.getByRole('button', { name: /^Start/ }).click();
  const found = await page.evaluate<FirstSound>(`window.firstSound`);
  await page.evaluate(`document.querySelector('session-experience').experience.end()`);
  return found;
}
