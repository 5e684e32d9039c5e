const svg = 'http://www.w3.org/2000/svg';

export type Properties = Record<string, string | boolean | undefined>;

/** Creates an element with attributes and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(attribute, value === true ? '' : value);
  element.append(...children);
  return element;
}

const drawings = {
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M4 12l16-7-6 15-3-6z',
  mic: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4',
  micOff: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4M4 4l16 16',
  sound: 'M4 10v4h4l5 4V6L8 10zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11',
  soundOff: 'M4 10v4h4l5 4V6L8 10zM16.5 9.5l5 5M21.5 9.5l-5 5',
  captions: 'M4 6h16v12H4zM7.5 11h4M13.5 11h3M7.5 14.5h2M11.5 14.5h5',
  play: 'M8 5l11 7-11 7z',
};
export type Drawing = keyof typeof drawings;

/** Creates an SVG icon. The style sheet strokes it in the text colour. */
export function icon(name: Drawing): SVGSVGElement {
  const picture = document.createElementNS(svg, 'svg');
  const path = document.createElementNS(svg, 'path');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', drawings[name]);
  picture.append(path);
  return picture;
}

/** Creates a round button with an icon. `name` sets its accessible name. */
export function iconButton(className: string, drawing: Drawing): HTMLButtonElement {
  return make('button', { type: 'button', class: `round ${className}` }, icon(drawing));
}

export function name(button: HTMLElement, text: string): void {
  if (button.getAttribute('aria-label') === text) return;
  button.setAttribute('aria-label', text);
  button.title = text;
}

export function draw(button: HTMLElement, drawing: Drawing): void {
  button.querySelector('path')?.setAttribute('d', drawings[drawing]);
}
