import { make, makeSvg, setAttributes } from '../dom.ts';

const microphone = 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4';
const loudspeaker = 'M4 10v4h4l5 4V6L8 10z';
const paths = {
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M4 12l16-7-6 15-3-6z',
  mic: microphone,
  micOff: `${microphone}M4 4l16 16`,
  sound: `${loudspeaker}M16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11`,
  soundOff: `${loudspeaker}M16.5 9.5l5 5M21.5 9.5l-5 5`,
  captions: 'M4 6h16v12H4zM7.5 11h4M13.5 11h3M7.5 14.5h2M11.5 14.5h5',
  play: 'M8 5l11 7-11 7z',
};
type Icon = keyof typeof paths;

/** Creates an SVG icon. The style sheet strokes it in the text colour. */
export function makeIcon(name: Icon): SVGSVGElement {
  const path = makeSvg('path', { d: paths[name] });
  return makeSvg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, path);
}

/** Creates a round button with an icon. `setName` sets its accessible name. */
export function makeIconButton(className: string, icon: Icon, type = 'button'): HTMLButtonElement {
  return make('button', { type, class: `round ${className}` }, makeIcon(icon));
}

export function setName(button: HTMLElement, text: string): void {
  if (button.title !== text) setAttributes(button, { 'aria-label': text, title: text });
}

export function setIcon(button: HTMLElement, icon: Icon): void {
  button.querySelector('path')?.setAttribute('d', paths[icon]);
}
