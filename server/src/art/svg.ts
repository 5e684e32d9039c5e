import { isUtf8 } from 'node:buffer';
import { SvgElements } from './svg-elements.ts';

/** What an SVG states about its size. */
interface SvgSize {
  width?: number;
  height?: number;
}

export type SvgResult = SvgSize | { problem: string };

/** Characters at the start of a file in which its first element is expected. */
const headLength = 65_536;

/** Whether the first element is `svg`. After a DOCTYPE other than that of HTML, `<svg` anywhere in the head is sufficient. */
export function isSvg(bytes: Buffer): boolean {
  const head = bytes.toString('utf8', 0, headLength).replace(/^\uFEFF/, '');
  for (let at = 0; ; ) {
    at += /^\s*/.exec(head.slice(at, at + 1_000))![0].length;
    const isComment = head.startsWith('<!--', at);
    if (!isComment && !head.startsWith('<?', at)) {
      const start = head.slice(at, at + 100);
      if (/^<!doctype(?!\s+html)/i.test(start)) return head.includes('<svg', at);
      return /^<(?:[\w.-]+:)?svg[\s/>]/.test(start);
    }
    const closing = isComment ? '-->' : '?>';
    const end = head.indexOf(closing, at);
    if (end === -1) return false;
    at = end + closing.length;
  }
}

const name = /[A-Za-z_][\w:.-]*/y;
const attribute = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
const tagEnd = /\s*(\/?)>/y;

/** Maximum number of attributes of one element. */
const maxAttributes = 500;

const malformed = { problem: 'is not well-formed XML. Export it again' };

/**
 * Checks an SVG without building a document: well-formed tags, bounded depth and number of elements, no DOCTYPE (and therefore no
 * entities), and no reference to another file. Scripts are allowed, because they never run: the service forbids it when it serves the
 * file.
 */
export function checkSvg(bytes: Buffer): SvgResult {
  if (!isUtf8(bytes)) return { problem: 'is an SVG that is not UTF-8. Save it as UTF-8' };
  const text = bytes.toString('utf8');
  if (text.includes('\0')) return malformed;
  const elements = new SvgElements();
  let size: SvgSize | undefined;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const skipped = endOfOther(text, at);
    if (typeof skipped === 'object') return skipped;
    if (skipped !== undefined) {
      at = skipped;
      continue;
    }
    const isClosing = text[at + 1] === '/';
    const tag = matchAt(name, text, at + (isClosing ? 2 : 1));
    if (tag === undefined) return malformed;
    at = name.lastIndex;
    const attributes = new Map<string, string>();
    for (let found = matchAt(attribute, text, at); found; found = matchAt(attribute, text, at)) {
      at = attribute.lastIndex;
      if (attributes.has(found[1]!) || attributes.size === maxAttributes) return malformed;
      attributes.set(found[1]!, found[2] ?? found[3] ?? '');
    }
    const end = matchAt(tagEnd, text, at);
    if (end === undefined || (size !== undefined && elements.isClosed)) return malformed;
    at = tagEnd.lastIndex;
    if (isClosing) {
      if (!elements.close(tag[0])) return malformed;
    } else {
      const problem = elements.open(tag[0], attributes) ?? referenceIn(tag[0], attributes);
      if (problem !== undefined) return { problem };
      size ??= sizeOf(attributes);
      if (end[1] === '/') elements.close(tag[0]);
    }
  }
  if (size === undefined || !elements.isClosed) return malformed;
  const problem = elements.problem() ?? referenceInStyles(text);
  return problem === undefined ? size : { problem };
}

/** The position after a comment, CDATA section or declaration; `undefined` if the text has a tag at this position. */
function endOfOther(text: string, at: number): number | { problem: string } | undefined {
  const until = (closing: string) => {
    const end = text.indexOf(closing, at);
    return end === -1 ? malformed : end + closing.length;
  };
  if (text.startsWith('<!--', at)) return until('-->');
  if (text.startsWith('<![CDATA[', at)) return until(']]>');
  if (text.startsWith('<!', at))
    return {
      problem: 'has a DOCTYPE or an entity declaration, which an uploaded SVG may not have. Remove it',
    };
  if (!text.startsWith('<?', at)) return undefined;
  const end = until('?>');
  if (typeof end === 'object') return end;
  const instruction = text.slice(at, end);
  if (/^<\?xml-stylesheet/.test(instruction)) return { problem: external('xml-stylesheet') };
  const encoding = /\sencoding\s*=\s*["']([^"']*)/.exec(instruction)?.[1];
  if (encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding))
    return { problem: `is an SVG with the encoding ${encoding.slice(0, 40)}. Save it as UTF-8` };
  return end;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

const isInside = (target: string) => /^\s*(#|$)/.test(target) || embedded.test(target);
const embedded = /^\s*data:(?:image\/(?:png|jpeg|webp|avif|gif)|font\/|application\/(?:x-)?font)/i;

function referenceIn(tag: string, attributes: Map<string, string>): string | undefined {
  if (isLink(tag)) return undefined;
  for (const [attribute, value] of attributes) {
    const isReference = /^(?:.*:)?(?:href|src)$/.test(attribute);
    if (isReference && !isInside(value)) return external(value);
  }
  return undefined;
}

/** The first reference to another file in a style sheet or in an attribute such as `fill`. */
function referenceInStyles(text: string): string | undefined {
  if (/@import\b/i.test(text)) return external('@import');
  for (const [, target = ''] of text.matchAll(/url\(\s*["']?([^"')]{0,100})/gi))
    if (!isInside(target)) return external(target);
  return undefined;
}

/** Whether an element is a link. Browsers do not load its target, so it may be another file. */
const isLink = (tag: string) => /^(?:.*:)?a$/.test(tag);

function external(what: string): string {
  return `refers to another file (${what.trim().slice(0, 80)}). Embed it, or remove the reference`;
}

function sizeOf(attributes: Map<string, string>): SvgSize {
  const [, , width, height] = (attributes.get('viewBox') ?? '').trim().split(/[\s,]+/);
  const given = { width: attributes.get('width') ?? width, height: attributes.get('height') ?? height };
  return Object.fromEntries(
    Object.entries(given).flatMap(([side, text]) => {
      const pixels = Math.round(Number(/^\s*(\d{1,6}(?:\.\d{1,6})?)(?:px)?\s*$/.exec(text ?? '')?.[1]));
      return pixels >= 1 ? [[side, pixels]] : [];
    }),
  );
}
