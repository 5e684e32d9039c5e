import type { Rig } from '../contract.ts';
import { makeSvg, setAttributes } from '../dom.ts';
import type { Pose } from './motion/visemes.ts';

/** A mouth that can draw any pose. It replaces the mouth of the picture. */
export class Mouth {
  readonly element: SVGGElement;
  readonly #rig: Rig['mouth'];
  readonly #teeth: SVGPathElement;
  readonly #tongue: SVGEllipseElement;
  /** The paths that have the outline of the mouth. */
  readonly #outlines: SVGPathElement[];

  constructor(rig: Rig['mouth']) {
    this.#rig = rig;
    const { at, colors, style, width } = rig;
    this.#teeth = makeSvg('path', { fill: colors.teeth });
    this.#tongue = makeSvg('ellipse', { fill: colors.tongue });
    const inside = makeSvg('path', { fill: colors.inside });
    const lips = makeSvg('path', {
      fill: 'none',
      stroke: colors.lip,
      'stroke-width': style === 'line' ? width * 0.3 : width * 0.15,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    });
    const clip = makeSvg('path');
    this.#outlines = [inside, clip, lips];
    const id = 'session-launch-mouth';
    const behind = makeSvg('g', { 'clip-path': `url(#${id})` }, this.#tongue, this.#teeth);
    this.element = makeSvg(
      'g',
      { transform: `translate(${at.join(' ')})` },
      makeSvg('clipPath', { id }, clip),
      inside,
      ...(style === 'soft' ? [behind] : []),
      lips,
    );
  }

  draw([open, wide, round, teeth, tongue, press]: Pose): void {
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
    for (const outline of this.#outlines) outline.setAttribute('d', path);
    // The lower edge of the teeth, below the upper lip, which is drawn over them.
    const edge = top + width * 0.08 + h * 0.34 * teeth;
    const gum = n(Math.min(corner, top));
    setAttributes(this.#teeth, {
      d: `M${n(-w)} ${n(corner - h)}H${n(w)}V${gum}Q0 ${n(2 * edge - top)} ${n(-w)} ${gum}Z`,
      opacity: n(Math.min(1, teeth * 2)),
    });
    setAttributes(this.#tongue, {
      cx: 0,
      cy: n(bottom + h * (0.2 - 0.3 * tongue)),
      rx: n(w * 0.6),
      ry: n(h * 0.34),
    });
  }
}

const n = (value: number) => Math.round(value * 100) / 100;
