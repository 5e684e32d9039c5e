import type { Rig } from '../contract.ts';
import type { Pose } from './visemes.ts';

const svg = 'http://www.w3.org/2000/svg';

/** A mouth that can draw any pose. It replaces the mouth of the picture. */
export class Mouth {
  readonly element: SVGGElement = document.createElementNS(svg, 'g');
  readonly #rig: Rig['mouth'];
  readonly #inside = document.createElementNS(svg, 'path');
  readonly #teeth = document.createElementNS(svg, 'path');
  readonly #tongue = document.createElementNS(svg, 'ellipse');
  readonly #lips = document.createElementNS(svg, 'path');

  constructor(rig: Rig['mouth']) {
    this.#rig = rig;
    const { colors, style, width } = rig;
    const clip = document.createElementNS(svg, 'clipPath');
    const outline = this.#inside.cloneNode() as SVGPathElement;
    clip.id = 'session-launch-mouth';
    clip.append(outline);
    this.#outline = outline;
    const behind = document.createElementNS(svg, 'g');
    behind.setAttribute('clip-path', `url(#${clip.id})`);
    behind.append(this.#tongue, this.#teeth);
    paint(this.#inside, { fill: colors.inside });
    paint(this.#teeth, { fill: colors.teeth });
    paint(this.#tongue, { fill: colors.tongue });
    paint(this.#lips, {
      fill: 'none',
      stroke: colors.lip,
      'stroke-width': style === 'line' ? width * 0.3 : width * 0.15,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    });
    this.element.append(clip, this.#inside, ...(style === 'soft' ? [behind] : []), this.#lips);
    this.element.setAttribute('transform', `translate(${rig.at.join(' ')})`);
  }

  readonly #outline: SVGPathElement;

  draw({ open, wide, round, teeth, tongue, press }: Pose): void {
    const { width, height, smile } = this.#rig;
    const w = width * (1 + 0.14 * wide - 0.42 * round - 0.08 * press);
    const h = height * open * (1 + 0.15 * round);
    const corner = -smile * (1 - 0.75 * round) * (1 - 0.35 * open) + press * smile * 0.3;
    const top = -h * 0.34;
    const bottom = h * 0.66;
    // Control points of Bézier curves that end at the corners of the mouth and whose midpoints are at `top` and `bottom`.
    const bend = w * (0.42 + 0.2 * round);
    const upper = (4 * top - corner) / 3;
    const lower = (4 * bottom - corner) / 3;
    const path =
      `M${n(-w)} ${n(corner)}C${n(-bend)} ${n(upper)} ${n(bend)} ${n(upper)} ${n(w)} ${n(corner)}` +
      `C${n(bend)} ${n(lower)} ${n(-bend)} ${n(lower)} ${n(-w)} ${n(corner)}Z`;
    for (const shape of [this.#inside, this.#outline, this.#lips]) shape.setAttribute('d', path);
    // The lower edge of the teeth, below the upper lip, which is drawn over them.
    const edge = top + width * 0.08 + h * 0.34 * teeth;
    this.#teeth.setAttribute(
      'd',
      `M${n(-w)} ${n(corner - h)}H${n(w)}V${n(Math.min(corner, top))}Q0 ${n(2 * edge - top)} ${n(-w)} ${n(Math.min(corner, top))}Z`,
    );
    this.#teeth.setAttribute('opacity', n(Math.min(1, teeth * 2)));
    paint(this.#tongue, { cx: 0, cy: n(bottom + h * (0.2 - 0.3 * tongue)), rx: n(w * 0.6), ry: n(h * 0.34) });
  }
}

function paint(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

const n = (value: number) => String(Math.round(value * 100) / 100);
