const namespace = 'http://www.w3.org/2000/svg';
const tag = /<(\/?)([A-Za-z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/g;
const attribute = /([\w:-]+)="([^"]*)"/g;

/**
 * Makes elements from the text of a drawing. The drawings have no text and no entities, so tags are all there is. The policy of the page
 * forbids the parsers of the browser.
 */
export function svgElement(drawing: string): SVGSVGElement {
  let root: Element | undefined;
  const open: Element[] = [];
  for (const [, isClosing, name, attributes = '', isEmpty] of drawing.matchAll(tag)) {
    if (isClosing) {
      open.pop();
      continue;
    }
    const element = document.createElementNS(namespace, name!);
    for (const [, key, value] of attributes.matchAll(attribute))
      if (key !== 'xmlns') element.setAttribute(key!, value!);
    root ??= element;
    open.at(-1)?.append(element);
    if (!isEmpty) open.push(element);
  }
  return root as SVGSVGElement;
}
