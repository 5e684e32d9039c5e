import type { Rig } from '@session-launch/contract/rig';
import { clothes, clothesBack, clothesGradient, torsoClip } from './clothes.ts';
import { background, earrings, necklace } from './extras.ts';
import { beard, brows, eyeLevel, eyes, glasses, moustache, mouth, mouthOf } from './features.ts';
import { hair } from './hair.ts';
import { hat } from './hats.ts';
import { cheeks, details, ears, head, jaws, neck, nose, skinTones } from './head.ts';
import type { Recipe } from './recipe.ts';

/** The files of a face. */
export interface DrawnFace {
  /** The picture as SVG text, with a transparent background. */
  full: string;
  thumb: string;
  /** The background of the small picture, without the face. */
  backdrop: string;
  rig: Rig;
}

/** Draws a face. The same recipe always makes the same files. */
export function drawFace(recipe: Recipe): DrawnFace {
  const gradients = clothesGradient(recipe) + torsoClip;
  const drawn = figure(recipe);
  const { gradient, drawn: behind } = background(recipe);
  return {
    full: svg(
      [480, 640],
      `<defs>${gradients}</defs><g transform="matrix(1.04 0 0 1.04 -9.6 -25.6)" ${strokes}>${drawn}</g>`,
    ),
    thumb: svg(
      [256, 256],
      `<defs>${gradients}${gradient}</defs>${behind}<g transform="matrix(.6 0 0 .6 -16 -24)" ${strokes}>${drawn}</g>`,
    ),
    backdrop: svg([256, 256], `<defs>${gradient}</defs>${behind}`),
    rig: rigOf(recipe),
  };
}

const strokes = 'stroke-linecap="round" stroke-linejoin="round"';

function svg([width, height]: readonly [number, number], content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${content}</svg>`;
}

/** The parts in their order, from the back to the front. */
function figure(recipe: Recipe): string {
  const { skin } = recipe;
  const { back, front } = hair(recipe);
  const { lenses, frame } = glasses(recipe);
  const isCovered = recipe.hair === 'headscarf' || recipe.hair === 'bob';
  const face = [
    isCovered ? '' : ears(skin),
    head(recipe),
    beard(recipe, jaws[recipe.head].beard),
    details(recipe),
    cheeks(recipe),
    mouth(recipe),
    moustache(recipe),
    nose(recipe),
    front,
    earrings(recipe),
    lenses,
    eyes(recipe),
    frame,
    hat(recipe),
    brows(recipe),
  ];
  return (
    '<g id="body">' +
    (back === '' ? '' : `<g transform="translate(0 20)"><g id="backhair">${back}</g></g>`) +
    clothesBack(recipe) +
    neck(skin) +
    clothes(recipe).replaceAll('SKIN', skinTones(skin).ear) +
    necklace(recipe) +
    `<g transform="translate(0 20)"><g id="head">${face.join('')}</g></g></g>`
  );
}

function rigOf(recipe: Recipe): Rig {
  const isSmiling = recipe.eyes === 'smiling';
  const hasBack = hair(recipe).back !== '';
  const { at, width, height, smile, colors } = mouthOf(recipe);
  return {
    rig: 1,
    image: 'full.svg',
    head: { parts: hasBack ? ['head', 'backhair'] : ['head'], pivot: [240, 360], maxTilt: 4 },
    eyes: {
      pupils: 'eyes',
      ...(isSmiling ? {} : { shine: 'shine', lids: 'lids' }),
      blink: isSmiling ? { scaleY: 0.45, about: 248 } : { scaleY: 0.12, about: eyeLevel },
      look: isSmiling ? [2, 1] : [3, 2],
    },
    brows: 'brows',
    mouth: { replace: 'mouth', at, width, height, smile, colors, style: 'soft' },
    breathe: { part: 'body', scaleY: 1.008, seconds: 4 },
  };
}
