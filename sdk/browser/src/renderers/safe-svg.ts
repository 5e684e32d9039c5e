import { makeSvg } from '../dom.ts';
import { timeoutMs } from './rig.ts';

const elements =
  'svg g defs path circle ellipse rect line polyline polygon use linearGradient radialGradient stop clipPath mask title desc symbol';
const allowed = new Set(elements.split(' '));
const attributes =
  /^(?:id|d|r|[cfr]?[xy]|[xy][12]|width|height|points|offset|opacity|transform|viewBox|preserveAspectRatio|(?:fill|stroke|stop|clip|mask)(?:-[a-z]+)?|gradientTransform|spreadMethod|(?:gradient|clipPath|mask|maskContent)Units)$/;

/**
 * Fetches an SVG and sanitises it. Uses XMLHttpRequest, because it parses the document without a Trusted Types sink.
 */
export function fetchSvg(url: string): Promise<SVGSVGElement> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`no drawing at ${url}`));
    const request = new XMLHttpRequest();
    request.open('GET', url);
    request.overrideMimeType('image/svg+xml');
    request.responseType = 'document';
    request.timeout = timeoutMs;
    request.onload = () => {
      const root = request.responseXML?.documentElement;
      if (request.status === 200 && root?.localName === 'svg') resolve(sanitised(root) as SVGSVGElement);
      else fail();
    };
    request.onerror = request.ontimeout = fail;
    request.send();
  });
}

/** Functions that attribute values may contain: colours, transforms with numeric arguments, and references within the SVG. */
const functions =
  /(?:(?:rgb|hsl)a?|rotate|translate|scale|skew[XY]|matrix)\([\w\s.,%/+-]*\)|url\((['"]?)#[\w.-]+\1\)/g;

/** Copies the allowed elements and attributes. References outside the SVG are removed. */
function sanitised(source: Element): Element {
  const copy = makeSvg(source.localName as 'svg');
  for (const { name, value } of source.attributes) {
    if (isHarmless(name, value)) copy.setAttribute(name === 'xlink:href' ? 'href' : name, value);
  }
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.textContent ?? '');
    else if (child instanceof Element && allowed.has(child.localName)) copy.append(sanitised(child));
  }
  return copy;
}

function isHarmless(name: string, value: string): boolean {
  if (name === 'href' || name === 'xlink:href') return value.startsWith('#');
  // Allows numbers, names, colours and paths. Without quotes, backslashes and other functions a value cannot contain a URL.
  return attributes.test(name) && /^[\w\s#.,%+-]*$/.test(value.replace(functions, ''));
}
