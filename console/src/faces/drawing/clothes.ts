import { lightened, lined, mix, shaded } from './color.ts';
import type { Recipe } from './recipe.ts';

const body = 'M62 640C60 540 78 452 158 426L206 404C220 424 260 424 274 404L322 426C402 452 420 540 418 640Z';
/** The same, up to the neck. */
const high = 'M62 640C60 540 78 452 158 426L200 402H280L322 426C402 452 420 540 418 640Z';
const side = 'M322 426C402 452 420 540 418 640H352C374 560 366 490 322 426Z';
const sleeves = 'M120 524C110 562 108 602 110 637M360 524C370 562 372 602 370 637';

const fill = (d: string, color: string, opacity?: number) =>
  `<path d="${d}" fill="${color}"${opacity === undefined ? '' : ` opacity="${opacity}"`}/>`;
const stroke = (d: string, color: string, width: number) =>
  `<path d="${d}" fill="none" stroke="${color}" stroke-width="${width}"/>`;
/** The edge of a neckline, which ends at the sides of the neck. */
const neckline = (color: string, width: number) =>
  `<path d="M197 402C208 442 272 442 283 402" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="butt"/>`;

/** A garment with its shadow and the folds of its sleeves. */
function garment(color: string, outline = body): string {
  return (
    fill(outline, 'url(#cloth)') + fill(side, shaded(color, 0.66), 0.5) + stroke(sleeves, lined(color), 5)
  );
}

/** The gradient of the main colour. */
export const clothesGradient = ({ clothesColor }: Recipe) =>
  `<linearGradient id="cloth" x1="0" y1="0" x2=".6" y2="1"><stop stop-color="${lightened(clothesColor, 0.1)}"/><stop offset="1" stop-color="${shaded(clothesColor, 0.86)}"/></linearGradient>`;

/** What is behind the neck. */
export function clothesBack({ clothes: kind, clothesColor: color }: Recipe): string {
  return kind === 'hoodie'
    ? fill('M128 456C100 384 156 342 240 342S380 384 352 456Z', shaded(color, 0.72))
    : '';
}

export function clothes(recipe: Recipe): string {
  const { clothes: kind, clothesColor: color, clothesAccent: accent } = recipe;
  const fold = lined(color);
  const accentFold = lined(accent);
  const dark = shaded(color, 0.72);
  switch (kind) {
    case 'tee':
      return (
        garment(color) +
        neckline(accent, 12) +
        `<path d="M240 500l11 24 26 3-19 18 5 26-23-13-23 13 5-26-19-18 26-3Z" fill="${accent}"/>`
      );
    case 'sweater':
      return (
        garment(color) +
        `<g clip-path="url(#torso)"><path d="M52 520Q240 556 428 520V556Q240 592 52 556ZM52 588Q240 622 428 588V620Q240 654 52 620Z" fill="${accent}"/></g>` +
        fill(side, shaded(color, 0.66), 0.22) +
        neckline(dark, 16) +
        stroke('M204 408l-3 12M218 420l-4 12M240 425v13M262 420l4 12M276 408l3 12', fold, 3.5)
      );
    case 'turtleneck':
      return (
        garment(color, high) +
        `<path d="M198 376C214 386 266 386 282 376L290 424C268 446 212 446 190 424Z" fill="${lightened(color, 0.12)}"/>` +
        stroke('M199 392Q240 406 281 392M195 410Q240 426 285 410', fold, 4) +
        `<circle cx="316" cy="520" r="15" fill="${accent}"/><circle cx="316" cy="520" r="7" fill="${lightened(accent, 0.45)}"/>`
      );
    case 'shirt':
      return (
        garment(color) +
        stroke('M240 462V637', fold, 4) +
        fill('M203 402H277L240 462Z', 'SKIN') +
        fill('M204 398L240 466 170 450 160 424ZM276 398L240 466 310 450 320 424Z', accent) +
        stroke('M204 398L240 466 276 398', accentFold, 3) +
        `<g fill="${accent}"><circle cx="252" cy="500" r="6.5"/><circle cx="252" cy="552" r="6.5"/><circle cx="252" cy="604" r="6.5"/></g>` +
        `<path d="M288 520h54v44q-27 18-54 0Z" fill="${dark}" opacity=".55"/>`
      );
    case 'hoodie':
      return (
        garment(color) +
        fill('M158 426C164 462 196 486 240 486S316 462 322 426L276 398C270 434 210 434 204 398Z', dark) +
        fill('M200 402C206 440 274 440 280 402L292 410C288 462 192 462 188 410Z', shaded(color, 0.6)) +
        stroke('M212 462C210 492 208 516 210 540M268 462C270 492 272 516 270 540', accent, 6) +
        `<path d="M206 536h8v16h-8ZM266 536h8v16h-8Z" fill="${shaded(accent, 0.8)}"/>` +
        fill('M168 580H312L334 640H146Z', dark, 0.55)
      );
    case 'blazer':
      return (
        garment(color) +
        fill('M204 402L240 560 276 402C262 424 218 424 204 402Z', accent) +
        stroke('M206 404C218 428 262 428 274 404', accentFold, 4) +
        fill(
          'M200 401L160 425 168 474 190 466 172 488 236 602 240 560ZM280 401L320 425 312 474 290 466 308 488 244 602 240 560Z',
          lightened(color, 0.13),
        ) +
        stroke(
          'M200 401L160 425 168 474 190 466 172 488 236 602M280 401L320 425 312 474 290 466 308 488 244 602',
          fold,
          3.5,
        ) +
        stroke('M240 590V637', fold, 4) +
        `<circle cx="252" cy="612" r="7" fill="${mix(dark, '#f2c14e', 0.5)}"/>` +
        `<path d="M318 520h42l-2 14h-42Z" fill="${dark}"/>`
      );
    case 'dungarees': {
      const denim = color;
      return (
        fill(body, accent) +
        `<g clip-path="url(#torso)">${stroke('M136 440Q150 474 206 470M344 440Q330 474 274 470M96 476Q112 500 160 500M384 476Q368 500 320 500M78 516Q96 532 150 530M402 516Q384 532 330 530M68 560Q90 568 124 564M412 560Q390 568 356 564M64 606Q84 610 114 606M416 606Q396 610 366 606', mix(accentFold, color, 0.35), 11)}</g>` +
        fill(side, shaded(accent, 0.66), 0.3) +
        neckline(mix(accentFold, color, 0.35), 11) +
        fill(
          'M150 426L182 413 192 500H288L298 413 330 426 326 522C330 560 350 590 354 640H126C130 590 150 560 154 522Z',
          'url(#cloth)',
        ) +
        fill(
          'M288 500L298 413 330 426 326 522C330 560 350 590 354 640H304C316 590 300 540 288 500Z',
          shaded(denim, 0.62),
          0.5,
        ) +
        fill('M200 548H280V588C280 608 200 608 200 588Z', dark, 0.6) +
        stroke('M198 516H282M202 552H278', lightened(denim, 0.4), 3) +
        '<g fill="#f6c64f"><circle cx="174" cy="508" r="9"/><circle cx="306" cy="508" r="9"/></g>'
      );
    }
    case 'robe':
      return (
        garment(color) +
        fill('M203 402C214 398 266 398 277 402L240 520Z', 'SKIN') +
        fill('M184 408L204 396 268 566 240 566Z', '#fff7ea') +
        fill('M160 425L188 406 250 566 218 570Z', dark) +
        fill('M296 408L276 396 212 566 240 566Z', '#fff7ea') +
        fill('M320 425L292 406 226 570 262 570Z', lightened(color, 0.1)) +
        fill('M132 566Q240 546 348 566L354 640H126Z', accent) +
        stroke('M131 598Q240 580 349 598', accentFold, 8)
      );
  }
}

export const torsoClip = `<clipPath id="torso"><path d="${body}"/></clipPath>`;
