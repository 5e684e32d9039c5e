/** The choices of each part, in the order in which they are offered. */
export const parts = {
  head: ['oval', 'round', 'square'],
  hair: [
    'short',
    'parted',
    'curls',
    'buzz',
    'afro',
    'bob',
    'long',
    'bun',
    'braid',
    'headscarf',
    'turban',
    'bald',
  ],
  brows: ['soft', 'straight', 'arched', 'bushy'],
  eyes: ['round', 'wide', 'almond', 'smiling'],
  nose: ['line', 'small', 'broad'],
  mouth: ['smile', 'laugh', 'calm', 'full'],
  beard: ['none', 'stubble', 'moustache', 'goatee', 'short', 'full'],
  glasses: ['none', 'round', 'square', 'reading', 'sun'],
  hat: ['none', 'beanie', 'cap', 'straw', 'beret', 'officer'],
  clothes: ['tee', 'sweater', 'turtleneck', 'shirt', 'hoodie', 'blazer', 'dungarees', 'robe'],
  jewellery: ['none', 'studs', 'hoops', 'drops', 'chain', 'beads'],
  details: ['none', 'freckles', 'lines', 'spot'],
  background: ['sea', 'sun', 'violet', 'rose', 'meadow', 'sky', 'sand', 'night'],
} as const;

export type Part = keyof typeof parts;
export type Choice<P extends Part> = (typeof parts)[P][number];

/** The offered colours. Those of `freeColors` may be any other one. */
export const colors = {
  skin: ['#fbdcc4', '#f4bc98', '#e3a880', '#cc8a5a', '#a86f48', '#8a5138', '#70432f', '#5c3528'],
  hairColor: ['#2a2230', '#46291f', '#7a4a2b', '#a84c33', '#d0703a', '#e3b45c', '#9ea4b3', '#eceef3'],
  eyeColor: ['#22131c', '#5a3520', '#8a5a1e', '#2f6a46', '#2b5c8a', '#566472'],
  headwearColor: ['#37628c', '#a83a48', '#2b8c8b', '#e8b64c', '#6e4e95', '#3a3f52', '#e07a5f', '#4f7a4a'],
  clothesColor: ['#f2b23a', '#2b8c8b', '#d9513f', '#6e4e95', '#3d6ea8', '#4f7a4a', '#2c3a4f', '#f3e9d8'],
  clothesAccent: ['#fff3e0', '#f2c14e', '#57ccc2', '#f08a78', '#9dbbe4', '#c3d98b', '#e0473f', '#2b2140'],
} as const;

export type ColorPart = keyof typeof colors;
export const freeColors: readonly ColorPart[] = [
  'skin',
  'hairColor',
  'headwearColor',
  'clothesColor',
  'clothesAccent',
];

/** All choices of a face. Stored in `avatar.recipe` of a character. */
export type Recipe = { [P in Part]: Choice<P> } & Record<ColorPart, string>;

export const partNames = Object.keys(parts) as Part[];
export const colorNames = Object.keys(colors) as ColorPart[];

/** Reads stored choices. A missing or unknown one becomes the first of its part. Returns `undefined` if they are not those of a drawn face. */
export function recipeFrom(stored: unknown): Recipe | undefined {
  if (typeof stored !== 'object' || stored === null || (stored as StoredRecipe).maker !== 1) return undefined;
  const given = stored as Record<string, unknown>;
  const chosen = partNames.map((name) => {
    const choices: readonly string[] = parts[name];
    return [name, choices.find((one) => one === given[name]) ?? choices[0]];
  });
  const colored = colorNames.map((name) => [name, colorFrom(name, given[name])]);
  return Object.fromEntries([...chosen, ...colored]) as Recipe;
}

function colorFrom(name: ColorPart, value: unknown): string {
  const isColor = typeof value === 'string' && /^#[0-9a-f]{6}$/.test(value);
  const isOffered = isColor && (colors[name] as readonly string[]).includes(value);
  return isOffered || (isColor && freeColors.includes(name)) ? value : colors[name][0];
}

/** Choices as they are stored. `maker` is the version of their format. */
export type StoredRecipe = Recipe & { maker: 1 };

export const storedRecipe = (recipe: Recipe): StoredRecipe => ({ maker: 1, ...recipe });

/** Whether the hair is a scarf or a turban, which leaves no room for a hat. */
export const isWrapped = ({ hair }: Pick<Recipe, 'hair'>) => hair === 'headscarf' || hair === 'turban';
