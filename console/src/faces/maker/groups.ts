import type { ColorPart, Part, Recipe } from '../drawing/recipe.ts';
import { isWrapped } from '../drawing/recipe.ts';

/** Parts and colours that are chosen on one tab. */
export interface Group {
  id: GroupId;
  parts: readonly Part[];
  /** The colours that the present choices show. */
  colors(recipe: Recipe): readonly ColorPart[];
}

export type GroupId =
  | 'head'
  | 'hair'
  | 'eyes'
  | 'mouth'
  | 'beard'
  | 'glasses'
  | 'hat'
  | 'clothes'
  | 'jewellery'
  | 'background';

const none = () => [];

/** The tabs of the dialog, in their order. */
export const groups: readonly Group[] = [
  { id: 'head', parts: ['head', 'details'], colors: () => ['skin'] },
  {
    id: 'hair',
    parts: ['hair'],
    colors: (recipe) =>
      isWrapped(recipe)
        ? ['headwearColor', 'hairColor']
        : recipe.hair === 'braid'
          ? ['hairColor', 'headwearColor']
          : ['hairColor'],
  },
  { id: 'eyes', parts: ['eyes', 'brows'], colors: ({ eyes }) => (eyes === 'smiling' ? [] : ['eyeColor']) },
  { id: 'mouth', parts: ['mouth', 'nose'], colors: none },
  { id: 'beard', parts: ['beard'], colors: ({ beard }) => (beard === 'none' ? [] : ['hairColor']) },
  { id: 'glasses', parts: ['glasses'], colors: none },
  {
    id: 'hat',
    parts: ['hat'],
    colors: (recipe) => (recipe.hat === 'none' || isWrapped(recipe) ? [] : ['headwearColor']),
  },
  { id: 'clothes', parts: ['clothes'], colors: () => ['clothesColor', 'clothesAccent'] },
  { id: 'jewellery', parts: ['jewellery'], colors: none },
  { id: 'background', parts: ['background'], colors: none },
];

/** The part of the small picture that shows a choice: its left and upper edge, and its size. */
export const views: Record<Part, string> = {
  head: '44 34 168 168',
  hair: '24 4 208 208',
  brows: '80 78 96 96',
  eyes: '80 78 96 96',
  nose: '80 92 96 96',
  mouth: '76 110 104 104',
  beard: '64 84 128 128',
  glasses: '64 70 128 128',
  hat: '10 0 236 236',
  clothes: '10 20 236 236',
  jewellery: '56 84 144 144',
  details: '76 78 104 104',
  background: '0 0 256 256',
};
