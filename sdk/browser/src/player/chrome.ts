import type { LiveExperience } from '../core/experience.ts';
import { make } from '../dom.ts';
import type { PlayerOptions, TextKey } from '../types.ts';
import type { Engines } from './disclosures.ts';
import { setIcon, setName } from './icons.ts';
import { type Parts, set } from './parts.ts';
import { micTexts } from './texts.ts';

/** The state from which the player's controls are drawn. */
export interface Look {
  experience: LiveExperience;
  options: PlayerOptions;
  engines: Engines | undefined;
  /** Whether no session is running, so that the visitor can start one. */
  isBefore: boolean;
  /** Key of the text that says why the first start is not offered. */
  hindrance: TextKey | undefined;
  showsCaptions: boolean;
  text(key: TextKey): string;
}

/** Draws the start button, the poster and the reason why no session is running. */
export function drawFront(parts: Parts, look: Look, why: TextKey, secondsToWait: number): void {
  const { experience, options, isBefore, hindrance, text } = look;
  const { state, manifest } = experience;
  const given = options.startButton ?? manifest?.player?.startButton ?? true;
  parts.front.hidden = !isBefore;
  // The character of the last session stays visible until the next one is drawn.
  parts.poster.hidden = state !== 'idle' && (manifest !== undefined || parts.stage.hasChildNodes());
  parts.start.hidden = given === false || hindrance === 'minting';
  parts.start.disabled = secondsToWait > 0 || hindrance !== undefined;
  const first = state === 'idle' ? labelOf(given, text('start')) : text('restart');
  const wait = text('retryIn').replaceAll('{seconds}', String(secondsToWait));
  set(parts.start.querySelector('span')!, secondsToWait > 0 ? wait : first);
  set(parts.apology, isBefore && (hindrance || state !== 'idle') ? text(why) : '');
  if (options.poster !== (parts.poster.querySelector('img')?.getAttribute('src') ?? undefined))
    parts.poster.replaceChildren(...(options.poster ? [make('img', { src: options.poster, alt: '' })] : []));
}

export function drawButtons(parts: Parts, look: Look): void {
  const { experience, options, text } = look;
  const { output, manifest, isRunning } = experience;
  const closing = options.closeButton ?? manifest?.player?.closeButton ?? true;
  const leadsOn = options.onClose !== undefined || options.returnUrl !== undefined;
  parts.close.hidden = closing === false || !(isRunning || (leadsOn && options.closeButton !== undefined));
  setName(parts.close, labelOf(closing, text('close')));
  parts.sound.hidden = !isRunning;
  setName(parts.sound, text(output.muted ? 'unmute' : 'mute'));
  setIcon(parts.sound, output.muted ? 'soundOff' : 'sound');
  parts.cc.hidden = !isRunning;
  setName(parts.cc, text('showCaptions'));
  parts.cc.setAttribute('aria-pressed', String(look.showsCaptions));
  parts.hear.hidden = !output.blocked;
  set(parts.hear.querySelector('span')!, text('hear'));
  drawMic(parts, look);
  const isOn = isHeard(experience, look.engines) && !parts.mic.hidden;
  parts.input.placeholder = text(isOn ? 'inputOrSpeech' : 'input');
  parts.input.setAttribute('aria-label', text('input'));
  setName(parts.send, text('send'));
}

/** Whether the microphone's sound is used. While the browser blocks audio, it cannot be sent to the runtime. */
export function isHeard({ mic, output }: LiveExperience, engines: Engines | undefined): boolean {
  return mic.status === 'on' && !(output.blocked && engines?.hearing.kind === 'server');
}

function drawMic({ mic: button }: Parts, { experience, engines, text }: Look): void {
  const { mic, manifest, state } = experience;
  const hears = manifest?.capabilities.includes('speech-input') && engines?.hearing.kind !== 'none';
  const isOn = isHeard(experience, engines);
  const off: TextKey = manifest?.speechInputMode === 'manual' ? 'micHold' : 'micOff';
  button.hidden = !hears;
  button.disabled = state !== 'live';
  setName(button, text(micTexts[mic.status] ?? (isOn ? 'micOn' : off)));
  setIcon(button, isOn ? 'mic' : 'micOff');
  button.setAttribute('aria-pressed', String(isOn));
}

/** The label of a button whose option is a boolean or has a custom label. */
function labelOf(given: unknown, otherwise: string): string {
  const { label } = Object(given) as { label?: unknown };
  return typeof label === 'string' ? label : otherwise;
}
