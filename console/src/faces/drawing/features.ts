import { contrast, contrasting, luminance, mix, shaded } from './color.ts';
import { skinTones } from './head.ts';
import type { Recipe } from './recipe.ts';

/** The middle of the left and of the right eye. */
const [left, right] = [210, 270];
export const eyeLevel = 246;

const both = (draw: (x: number) => string) => draw(left) + draw(right);

/** The colour of the hair, changed if it has too little contrast to the skin. */
export function browColor({ hairColor, skin }: Recipe): string {
  const color = luminance(hairColor) > 0.5 ? hairColor : shaded(hairColor, 0.85);
  return contrast(color, skin) >= 1.45 ? color : contrasting(shaded(hairColor, 0.7), skin, 1.6);
}

/** Lashes are dark, even above a light beard. */
const lashColor = ({ hairColor, skin }: Recipe) =>
  luminance(skin) < 0.12
    ? '#140809'
    : luminance(hairColor) > 0.3
      ? shaded(skin, 0.38)
      : mix(hairColor, '#1a1016', 0.45);

/** The eyes with the ids that the rig names. `smiling` eyes are lines, without lids. */
export function eyes(recipe: Recipe): string {
  const { eyes: shape, eyeColor, skin } = recipe;
  const lash = lashColor(recipe);
  if (shape === 'smiling')
    return `<path id="eyes" d="M197 250Q210 235 223 250M257 250Q270 235 283 250" fill="none" stroke="${lash}" stroke-width="6.5"/>`;
  const white = luminance(skin) < 0.14 ? mix('#ffffff', skin, 0.12) : undefined;
  const [rx, ry] = shape === 'wide' ? [9.5, 11.5] : shape === 'almond' ? [7, 8] : [8.5, 10.5];
  const sclera =
    shape === 'wide'
      ? both((x) => `<ellipse cx="${x}" cy="${eyeLevel}" rx="15" ry="14" fill="#fffdf8"/>`)
      : white === undefined
        ? ''
        : both(
            (x) => `<ellipse cx="${x}" cy="${eyeLevel}" rx="${rx + 4}" ry="${ry + 0.6}" fill="${white}"/>`,
          );
  const isDark = luminance(eyeColor) < 0.02;
  const iris = both((x) => `<ellipse cx="${x}" cy="${eyeLevel}" rx="${rx}" ry="${ry}"/>`);
  const pupil = isDark
    ? ''
    : `<g fill="#1c1218">${both((x) => `<ellipse cx="${x}" cy="${eyeLevel + 0.5}" rx="${rx * 0.55}" ry="${ry * 0.55}"/>`)}</g>`;
  const glint = both(
    (x) => `<circle cx="${x - 3}" cy="${eyeLevel - 4}" r="${shape === 'almond' ? 2.4 : 2.9}"/>`,
  );
  const lids = {
    round: `<path id="lids" d="M197 240q12-11 26 0M257 240q14-11 26 0" fill="none" stroke="${lash}" stroke-width="4.8"/>`,
    wide: `<path id="lids" d="M194 240q15-14 32 0M254 240q17-14 32 0" fill="none" stroke="${lash}" stroke-width="5"/>`,
    almond: `<path id="lids" d="M190 241l7 4Q210 229 225 242M290 241l-7 4Q270 229 255 242" fill="none" stroke="${lash}" stroke-width="5.5"/>`,
  }[shape];
  return `<g id="eyes">${sclera}<g fill="${eyeColor}">${iris}</g>${pupil}</g><g id="shine" fill="#fff">${glint}</g>${lids}`;
}

export function brows(recipe: Recipe): string {
  const { d, width } = {
    soft: { d: 'M192 225q16-10 34-2M254 223q18-8 34 2', width: 6.5 },
    straight: { d: 'M191 222q17-4 35 0M254 222q18-4 35 0', width: 7.5 },
    arched: { d: 'M190 226q14-17 36-6M254 220q22-11 36 6', width: 5.5 },
    bushy: { d: 'M189 224q18-12 38-1M253 223q20-11 38 1', width: 10.5 },
  }[recipe.brows];
  return `<path id="brows" d="${d}" fill="none" stroke="${browColor(recipe)}" stroke-width="${width}"/>`;
}

/** The mouth of the rig: where it is, how large, and its colours. */
export function mouthOf(recipe: Recipe) {
  const { mouth: shape, skin } = recipe;
  const natural = mix('#a8383c', skin, luminance(skin) < 0.12 ? 0.1 : 0.2);
  const wanted = shape === 'full' ? mix('#c23c4c', skin, 0.08) : natural;
  const size = {
    smile: { width: 31, height: 27, smile: 7 },
    laugh: { width: 36, height: 31, smile: 9 },
    calm: { width: 24, height: 23, smile: 3 },
    full: { width: 26, height: 25, smile: 4 },
  }[shape];
  return {
    at: [240, 310] as [number, number],
    ...size,
    colors: {
      lip: contrasting(wanted, skin, 3),
      inside: '#5a1f22',
      teeth: '#fff6ec',
      tongue: '#d65a5a',
    },
  };
}

/** The mouth as it is drawn without a player. */
export function mouth(recipe: Recipe): string {
  const { lip, inside, teeth } = mouthOf(recipe).colors;
  const drawn = {
    smile:
      `<path d="M209 300Q240 309 271 300Q264 328 240 328T209 300Z" fill="${inside}"/>` +
      `<path d="M215 303Q240 310 265 303L261 312Q240 317 219 312Z" fill="${teeth}"/>`,
    laugh:
      `<path d="M204 299Q240 308 276 299Q272 332 240 332T204 299Z" fill="${inside}"/>` +
      `<path d="M210 302Q240 309 270 302L267 312Q240 318 213 312Z" fill="${teeth}"/>` +
      '<path d="M222 325Q240 316 258 325Q252 332 240 332T222 325Z" fill="#d65a5a"/>',
    calm: `<path d="M217 307Q240 318 263 307" fill="none" stroke="${lip}" stroke-width="5.5"/>`,
    full:
      `<path d="M214 307Q228 299 240 303Q252 299 266 307Q254 323 240 323T214 307Z" fill="${lip}"/>` +
      `<path d="M214 307Q240 313 266 307" fill="none" stroke="${shaded(lip, 0.7)}" stroke-width="3"/>`,
  }[recipe.mouth];
  return `<g id="mouth">${drawn}</g>`;
}

/** Beards below the mouth. The mouth lies on a patch of skin, so that it is seen on any beard. */
export function beard(recipe: Recipe, outline: string): string {
  const { beard: kind, hairColor, skin } = recipe;
  const color = hairColor;
  const patch = `<path d="M203 304C213 294 230 296 240 300C250 296 267 294 277 304C273 332 207 332 203 304Z" fill="${skinTones(skin).ear}"/>`;
  if (kind === 'stubble')
    return `<path d="M163 250C168 268 178 282 190 292C206 300 222 291 240 291S274 300 290 292C302 282 312 268 317 250${outline}Z" fill="${mix(color, skin, 0.3)}" opacity=".42"/>`;
  if (kind === 'short')
    return (
      `<path d="M162 240C168 262 176 284 188 298C202 300 222 291 240 291S278 300 292 298C304 284 312 262 318 240${outline}Z" fill="${color}"/>` +
      patch
    );
  if (kind === 'full') {
    const lower = outline === '' ? '' : 'C326 330 300 404 240 404S154 330 162 240';
    return (
      `<path d="M162 240C166 250 176 262 184 290C198 296 222 290 240 290S282 296 296 290C304 262 314 250 318 240${lower}Z" fill="${color}"/>` +
      `<path d="M206 352q6 20 18 32M240 356v34M274 352q-6 20-18 32" fill="none" stroke="${beardLine(color)}" stroke-width="4"/>` +
      patch
    );
  }
  if (kind === 'goatee')
    return (
      `<path d="M204 300C210 292 270 292 276 300C284 318 278 348 262 362C250 370 230 370 218 362C202 348 196 318 204 300Z" fill="${color}"/>` +
      patch
    );
  return '';
}

const beardLine = (color: string) =>
  luminance(color) < 0.06 ? mix(color, '#b9a7d6', 0.25) : shaded(color, 0.78);

/** The part of a beard above the mouth. */
export function moustache({ beard: kind, hairColor }: Recipe): string {
  if (kind === 'moustache')
    return (
      `<path d="M240 290C226 281 206 284 192 297C186 303 177 303 171 297C174 315 204 319 240 303C276 319 306 315 309 297C303 303 294 303 288 297C274 284 254 281 240 290Z" fill="${hairColor}"/>` +
      `<path d="M228 296q-16 2-27 11M252 296q16 2 27 11" fill="none" stroke="${beardLine(hairColor)}" stroke-width="3.5"/>`
    );
  if (kind === 'short' || kind === 'full' || kind === 'goatee')
    return `<path d="M201 304C211 287 231 287 240 293C249 287 269 287 279 304C263 297 250 301 240 301S217 297 201 304Z" fill="${hairColor}"/>`;
  return '';
}

/** The lenses, behind the eyes, and the frame of the glasses with what lies in front of the eyes. */
export function glasses({ glasses: kind, skin, hair }: Recipe): { lenses: string; frame: string } {
  // A headscarf covers the temples.
  const end = hair === 'headscarf' ? 63 : 75;
  const sides = (y: number, reach: number) =>
    `M${240 - reach} ${y}L${240 - end} ${y - 6}M${240 + reach} ${y}L${240 + end} ${y - 6}`;
  const gold = luminance(skin) > 0.28 ? '#b57a1e' : '#f2c14e';
  switch (kind) {
    case 'round':
      return {
        lenses:
          '<g fill="#fff3e0" opacity=".26"><circle cx="208" cy="246" r="29"/><circle cx="272" cy="246" r="29"/></g>',
        frame:
          `<g fill="none" stroke="${gold}" stroke-width="5.5"><circle cx="208" cy="246" r="29"/><circle cx="272" cy="246" r="29"/><path d="M237 243q3-3 6 0${sides(243, 61)}"/></g>` +
          '<path d="M190 234l11-9M254 234l11-9" fill="none" stroke="#fff" stroke-width="4" opacity=".65"/>',
      };
    case 'square':
      return {
        lenses:
          '<g fill="#fff3e0" opacity=".26"><rect x="179" y="224" width="56" height="44" rx="11"/><rect x="245" y="224" width="56" height="44" rx="11"/></g>',
        frame:
          `<g fill="none" stroke="#2b2733" stroke-width="6.5"><rect x="179" y="224" width="56" height="44" rx="11"/><rect x="245" y="224" width="56" height="44" rx="11"/><path d="M235 240q5-4 10 0${sides(238, 61)}"/></g>` +
          '<path d="M188 238l10-8M254 238l10-8" fill="none" stroke="#fff" stroke-width="4" opacity=".6"/>',
      };
    case 'reading':
      return {
        lenses:
          '<g fill="#fff" opacity=".32"><path d="M184 266h48q0 23-24 23t-24-23ZM248 266h48q0 23-24 23t-24-23Z"/></g>',
        frame: `<path d="M184 266h48q0 23-24 23t-24-23ZM248 266h48q0 23-24 23t-24-23ZM232 268q8-6 16 0M184 266L${240 - end} 256M296 266L${240 + end} 256" fill="none" stroke="${gold}" stroke-width="5"/>`,
      };
    case 'sun': {
      const lenses =
        'M178 230Q206 224 234 232Q236 270 207 272Q178 270 178 230ZM302 230Q274 224 246 232Q244 270 273 272Q302 270 302 230Z';
      return {
        lenses: '',
        frame:
          `<path d="${lenses}" fill="#2b2140" opacity=".4"/>` +
          `<path d="${lenses}M234 236q6-4 12 0${sides(236, 62)}" fill="none" stroke="#7a4a2b" stroke-width="6"/>` +
          '<path d="M188 244l12-11M256 244l12-11" fill="none" stroke="#fff" stroke-width="4" opacity=".5"/>',
      };
    }
    default:
      return { lenses: '', frame: '' };
  }
}
