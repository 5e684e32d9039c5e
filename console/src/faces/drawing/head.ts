import { lightened, luminance, mix, shaded } from './color.ts';
import type { Recipe } from './recipe.ts';

/** The lower half of a head: curves from its right side to the chin, and from there to its left side. */
interface Jaw {
  right: string;
  left: string;
  /** The same, a little outside of it: the outline of a beard. */
  beard: string;
  /** The y coordinate of the chin. */
  chin: number;
}

export const jaws: Record<Recipe['head'], Jaw> = {
  oval: {
    right: 'C316 302 284 348 240 348',
    left: 'C196 348 164 302 164 236',
    beard: 'C322 316 286 359 240 359S158 316 162 240',
    chin: 348,
  },
  round: {
    right: 'C318 300 294 346 240 346',
    left: 'C186 346 162 300 164 236',
    beard: 'C324 314 298 357 240 357S156 314 162 240',
    chin: 346,
  },
  square: {
    right: 'C317 288 312 318 290 336C276 347 260 350 240 350',
    left: 'C220 350 204 347 190 336C168 318 163 288 164 236',
    beard: 'C323 298 320 328 296 347C280 359 262 361 240 361S200 359 184 347C160 328 157 298 162 240',
    chin: 350,
  },
};

const crown = 'C164 168 198 138 240 138S316 168 316 236';

/** The outline of a head. */
export const headOutline = (head: Recipe['head']) => `M164 236${crown}${jaws[head].right}${jaws[head].left}Z`;

/** The tones of a skin. */
export function skinTones(skin: string) {
  return {
    ear: shaded(skin, 0.92),
    shade: shaded(skin, 0.8),
    line: shaded(skin, 0.72),
    neckShade: shaded(skin, 0.76),
    blush: mix('#e0553f', skin, 0.1),
  };
}

export function ears(skin: string): string {
  const { ear, line } = skinTones(skin);
  return (
    `<g fill="${ear}"><ellipse cx="163" cy="248" rx="15" ry="21"/><ellipse cx="317" cy="248" rx="15" ry="21"/></g>` +
    `<path d="M158 240q8 6 4 18M322 240q-8 6-4 18" fill="none" stroke="${line}" stroke-width="4"/>`
  );
}

/** The head without features. */
export function head({ head: shape, skin }: Recipe): string {
  const { shade } = skinTones(skin);
  return (
    `<path d="${headOutline(shape)}" fill="${skin}"/>` +
    `<path d="M252 139C290 144 316 172 316 236${jaws[shape].right}C274 330 294 292 294 236C294 192 278 158 252 139Z" fill="${shade}" opacity=".5"/>`
  );
}

export function neck(skin: string): string {
  const { ear, neckShade } = skinTones(skin);
  return (
    `<path d="M202 318H278V412C278 444 202 444 202 412Z" fill="${ear}"/>` +
    `<path d="M202 344C214 366 264 368 278 344V376C264 398 216 394 202 370Z" fill="${neckShade}"/>`
  );
}

export function cheeks({ skin }: Recipe): string {
  // On dark skin, the same red is brighter than the skin.
  const opacity = luminance(skin) < 0.09 ? 0.2 : luminance(skin) < 0.2 ? 0.3 : 0.36;
  return (
    `<g fill="${skinTones(skin).blush}" opacity="${opacity}">` +
    '<ellipse cx="192" cy="280" rx="18" ry="12"/><ellipse cx="288" cy="280" rx="18" ry="12"/></g>'
  );
}

export function nose({ nose: shape, skin }: Recipe): string {
  const { line, shade } = skinTones(skin);
  if (shape === 'broad')
    return (
      `<path d="M241 254C231 272 223 280 231 288C239 293 249 292 255 286C259 278 250 268 241 254Z" fill="${mix(shade, skin, 0.25)}"/>` +
      `<path d="M230 287q10 7 24 0" fill="none" stroke="${line}" stroke-width="4"/>`
    );
  const path = shape === 'line' ? 'M242 256q-11 20-6 25 5 4 13 1' : 'M239 262q-7 13-3 18 5 4 11 1';
  return `<path d="${path}" fill="none" stroke="${line}" stroke-width="5"/>`;
}

export function details({ details: kind, skin }: Recipe): string {
  const { line, shade } = skinTones(skin);
  if (kind === 'freckles')
    return `<g fill="${mix(line, skin, 0.15)}">${[
      [186, 270],
      [196, 276],
      [206, 269],
      [274, 269],
      [284, 276],
      [294, 270],
    ]
      .map(([x, y]) => `<circle cx="${x}" cy="${y}" r="2.6"/>`)
      .join('')}</g>`;
  if (kind === 'lines')
    return (
      `<path d="M186 242l-7-4M186 250l-8 2M294 242l7-4M294 250l8 2M200 265q10 4 20 0M260 265q10 4 20 0" fill="none" stroke="${shade}" stroke-width="3.5"/>` +
      `<path d="M198 300q-5 8 0 16M282 300q5 8 0 16" fill="none" stroke="${shade}" stroke-width="4"/>`
    );
  if (kind === 'spot') return `<circle cx="284" cy="300" r="3.4" fill="${shaded(skin, 0.5)}"/>`;
  return '';
}

/** A light area on the skin, such as a bald head's shine. */
export const shine = (skin: string) =>
  `<path d="M196 178C204 162 222 152 240 150" fill="none" stroke="${lightened(skin, 0.45)}" stroke-width="7" opacity=".7"/>`;
