import type { Captions } from './captions.ts';
import { icon, iconButton, make } from './dom.ts';
import { playerSheet } from './sheet.ts';

export type Parts = ReturnType<typeof makeParts>;

/** The elements of a player, each in its place. */
export function makeParts(captions: Captions) {
  const element = make('div', { class: 'session-launch-player', tabindex: '-1' });
  const stage = make('div', { class: 'stage' });
  const poster = make('div', { class: 'poster' });
  const status = make('p', { class: 'status', role: 'status' });
  /** The status again, for the eye: what is said aloud is said once. */
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
    maxlength: '4000',
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

  const root = make('div', { class: 'player', role: 'group' }, scene, panel, corner);
  const shadow = element.attachShadow({ mode: 'open' });
  shadow.adoptedStyleSheets = [playerSheet()];
  shadow.append(root);
  return {
    ...{ element, root, stage, poster, status, front, apology, start, hear },
    ...{ panel, title, suggestions, form, mic, input, send, note, sound, cc, close },
  };
}

/** Only what has changed is written: screen readers would say it again. */
export function set(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}
