import { maxRecipeLength } from '@session-launch/contract/project-file/runtime';

/** A face that the service lists. */
interface ListedFace {
  rig: 1 | 2;
  fullPath: string;
}

/** The recipe of a picture: where it is. The handles are in rig.json beside it. */
export const recipeOfPicture = (fullPath: string) => ({ picture: 1, image: fullPath });

/** Puts a recipe into a drawing. Recipes contain no characters that XML reserves. */
export function withRecipe(drawing: string, recipe: object): string {
  return drawing.replace('</svg>', `<desc>${JSON.stringify(recipe)}</desc></svg>`);
}

/** The recipe in a drawing that was made in the console; `undefined` for other drawings. */
export function recipeIn(drawing: string): object | undefined {
  const text = /<desc>(\{[^<]*\})<\/desc><\/svg>$/.exec(drawing)?.[1];
  if (text === undefined || text.length > maxRecipeLength) return undefined;
  try {
    const recipe = JSON.parse(text) as { maker?: unknown };
    return recipe.maker === 1 ? recipe : undefined;
  } catch {
    return undefined;
  }
}

/** The choices from which a face was made, so that it can be changed. `readThumb` fetches the text of its small picture. */
export async function recipeOfFace(
  { rig, fullPath }: ListedFace,
  readThumb: () => Promise<string>,
): Promise<object | undefined> {
  return rig === 2 ? recipeOfPicture(fullPath) : recipeIn(await readThumb());
}
