type Attributes = Record<string, string | number | boolean | undefined>;

/** Sets attributes. Skips undefined and false. */
export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
}

/** Creates an element with attributes and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(name), attributes, children);
}

export const makeDiv = (className: string, ...children: (Node | string)[]) =>
  make('div', { class: className }, ...children);

/** Creates an SVG element with attributes and children. */
export function makeSvg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Node[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function filled<T extends Element>(element: T, attributes: Attributes, children: (Node | string)[]): T {
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}
