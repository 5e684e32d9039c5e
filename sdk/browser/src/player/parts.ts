import { make, makeDiv } from '../dom.ts';
import { attachStyledShadow } from '../shadow.ts';
import type { Captions } from './captions.ts';
import { makeIcon, makeIconButton } from './icons.ts';
import css from './player.css';

export type Parts = ReturnType<typeof makeParts>;

/** Creates the DOM elements of a player. */
export function makeParts(captions: Captions) {
  const element = makeDiv('session-launch-player');
  const stage = makeDiv('stage');
  const poster = makeDiv('poster');
  const status = make('p', { class: 'status', role: 'status' });
  /** Repeats the status visually. Hidden from screen readers, which announce the status itself. */
  const apology = make('p', { class: 'apology', 'aria-hidden': 'true' });
  const start = make('button', { type: 'button', class: 'start' }, makeIcon('play'), make('span'));
  const front = makeDiv('front', apology, start);
  const hear = make('button', { type: 'button', class: 'hear' }, makeIcon('sound'), make('span'));
  const scene = makeDiv('scene', stage, poster, status, front, hear);

  const title = make('p', { class: 'title' });
  const suggestions = make('div', { class: 'suggestions', role: 'group' });
  const mic = makeIconButton('mic', 'mic');
  const input = make('input', {
    type: 'text',
    autocomplete: 'off',
    enterkeyhint: 'send',
  });
  const send = makeIconButton('send', 'send', 'submit');
  const form = make('form', { class: 'form' }, mic, input, send);
  /** Warnings. Never hidden on its own, because screen readers announce only changes of a visible live region. */
  const alert = make('span', { role: 'status' });
  const facts = make('span');
  const note = make('p', { class: 'note' }, alert, ' ', facts);
  const panel = makeDiv('panel', title, captions.element, suggestions, form, note);

  const sound = makeIconButton('sound', 'sound');
  const cc = makeIconButton('cc', 'captions');
  const close = makeIconButton('close', 'close');
  const corner = makeDiv('corner', sound, cc, close);

  const root = make('div', { class: 'player', role: 'group', tabindex: '-1' }, scene, panel, corner);
  // Chromium skips the content of a shadow host with a negative tabindex, so the root inside receives the focus instead.
  element.focus = (options) => root.focus(options);
  attachStyledShadow(element, css).append(root);
  return {
    ...{ element, root, stage, poster, status, front, apology, start, hear },
    ...{ panel, title, suggestions, form, mic, input, send, note, alert, facts, sound, cc, close },
  };
}

/** Runs `change`. If it hides or disables the focused control, focuses the player; if it shows the start button, focuses that. */
export function keepFocus({ element, root, front, start }: Parts, change: () => void): void {
  const focused = element.shadowRoot!.activeElement as HTMLButtonElement | null;
  const wasInFront = !front.hidden;
  change();
  if (!focused) return;
  if (focused.disabled || focused.getClientRects().length === 0) root.focus({ preventScroll: true });
  if (!front.hidden && !wasInFront) start.focus();
}

/** Sets the text if it has changed: screen readers announce every write. */
export function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** As `write`. Hides the element if the text is empty. */
export function set(element: HTMLElement, text: string): void {
  write(element, text);
  element.hidden = text === '';
}
