import { maxTextCharacters } from '../wire.ts';
import type { Captions } from './captions.ts';
import { icon, iconButton, make } from './dom.ts';
import { playerSheet } from './sheet.ts';

export type Parts = ReturnType<typeof makeParts>;

/** Creates the DOM elements of a player. */
export function makeParts(captions: Captions) {
  const element = make('div', { class: 'session-launch-player' });
  const stage = make('div', { class: 'stage' });
  const poster = make('div', { class: 'poster' });
  const status = make('p', { class: 'status', role: 'status' });
  /** Repeats the status visually. Hidden from screen readers, which announce the status itself. */
  const apology = make('p', { class: 'apology', 'aria-hidden': 'true' });
  const start = make('button', { type: 'button', class: 'start' }, icon('play'), make('span'));
  const front = make('div', { class: 'front' }, apology, start);
  const hear = make('button', { type: 'button', class: 'hear' }, icon('sound'), make('span'));
  const scene = make('div', { class: 'scene' }, stage, poster, status, front, hear);

  const title = make('p', { class: 'title' });
  const suggestions = make('div', { class: 'suggestions', role: 'group' });
  const mic = iconButton('mic', 'mic');
  const input = make('input', {
    type: 'text',
    maxlength: String(maxTextCharacters),
    autocomplete: 'off',
    enterkeyhint: 'send',
  });
  const send = iconButton('send', 'send');
  send.type = 'submit';
  const form = make('form', { class: 'form' }, mic, input, send);
  const note = make('p', { class: 'note' });
  const panel = make('div', { class: 'panel' }, title, captions.element, suggestions, form, note);

  const sound = iconButton('sound', 'sound');
  const cc = iconButton('cc', 'captions');
  const close = iconButton('close', 'close');
  const corner = make('div', { class: 'corner' }, sound, cc, close);

  const root = make('div', { class: 'player', role: 'group', tabindex: '-1' }, scene, panel, corner);
  // Chromium skips the content of a shadow host with a negative tabindex, so the root inside receives the focus instead.
  element.focus = (options) => root.focus(options);
  const shadow = element.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [playerSheet()];
  shadow.append(root);
  return {
    ...{ element, root, stage, poster, status, front, apology, start, hear },
    ...{ panel, title, suggestions, form, mic, input, send, note, sound, cc, close },
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

/** Sets the text if it has changed: screen readers announce every write. Hides the element if the text is empty. */
export function set(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}
