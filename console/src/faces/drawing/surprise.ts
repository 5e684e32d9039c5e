import { contrast, luminance } from './color.ts';
import { type Choice, type ColorPart, colors, isWrapped, type Part, parts, type Recipe } from './recipe.ts';

/** A generator of numbers from 0 to 1: mulberry32. The same seed gives the same numbers. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Any combination of the offered choices, each as likely as any other. */
export function anyRecipe(random: () => number): Recipe {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const chosen = Object.entries(parts).map(([name, choices]) => [name, pick<string>(choices)]);
  const colored = Object.entries(colors).map(([name, offered]) => [name, pick<string>(offered)]);
  return Object.fromEntries([...chosen, ...colored]) as Recipe;
}

/** A face that could be that of a person: usual parts are more likely, and colours go together. */
export function surprise(seed: number): Recipe {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  /** A choice by weights; those that are not named have the weight 1. */
  const choose = <P extends Part>(part: P, weights: Partial<Record<Choice<P>, number>> = {}): Choice<P> => {
    const weighted = parts[part].map((one) => [one as Choice<P>, weights[one as Choice<P>] ?? 1] as const);
    let left = random() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [one, weight] of weighted) {
      left -= weight;
      if (left < 0) return one;
    }
    return weighted[0]![0];
  };
  const color = (part: ColorPart, isSuitable: (color: string) => boolean = () => true): string => {
    const suitable = colors[part].filter(isSuitable);
    return pick(suitable.length > 0 ? suitable : colors[part]);
  };
  const skin = color('skin');
  const isDark = luminance(skin) < 0.2;
  const hair = choose('hair', { headscarf: 0.7, turban: 0.5, bald: 0.5, short: 1.6 });
  const hairColor = color('hairColor', (one) => {
    if (luminance(one) > 0.5) return random() < 0.35;
    // Light brown and red hair is rare above dark skin.
    return !isDark || luminance(one) < 0.06 || random() < 0.1;
  });
  const mayHaveBeard = !['headscarf', 'bob', 'braid', 'bun', 'long'].includes(hair);
  const beard = mayHaveBeard ? choose('beard', { none: 3 }) : 'none';
  const hat = isWrapped({ hair }) ? 'none' : choose('hat', { none: 9 });
  const clothesColor = color('clothesColor');
  const recipe: Recipe = {
    head: choose('head'),
    hair,
    brows: choose('brows', { bushy: 0.5 }),
    eyes: choose('eyes', { round: 2, smiling: 0.6 }),
    nose: choose('nose'),
    mouth: choose('mouth', { smile: 2 }),
    beard,
    glasses: choose('glasses', { none: 4, sun: 0.4 }),
    hat,
    clothes: choose('clothes'),
    jewellery: choose('jewellery', { none: 4 }),
    details: choose('details', { none: 3 }),
    background: choose('background'),
    skin,
    hairColor,
    eyeColor: color('eyeColor', (one) => !isDark || luminance(one) < 0.06),
    headwearColor: color('headwearColor', (one) => contrast(one, clothesColor) > 1.15),
    clothesColor,
    clothesAccent: color('clothesAccent', (one) => contrast(one, clothesColor) > 1.7),
  };
  return recipe;
}
