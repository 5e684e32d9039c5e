import { useId } from 'preact/hooks';
import { facesTexts } from '../../texts/editor/faces.ts';
import { drawFace } from '../drawing/face.ts';
import {
  type ColorPart,
  colors,
  freeColors,
  isWrapped,
  type Part,
  parts,
  type Recipe,
} from '../drawing/recipe.ts';
import { views } from './groups.ts';
import { imageOf } from './image.ts';

const texts = facesTexts.maker;

interface PartChoicesProps<P extends Part> {
  part: P;
  recipe: Recipe;
  onChange(recipe: Recipe): void;
}

/** The choices of a part, each as a picture of the face with it. */
export function PartChoices<P extends Part>({ part, recipe, onChange }: PartChoicesProps<P>) {
  const id = useId();
  const names = texts.choices[part] as Record<string, string>;
  const isWithoutRoom = part === 'hat' && isWrapped(recipe);
  const isCovered = part === 'jewellery' && recipe.hair === 'headscarf';
  return (
    <fieldset class="maker-choices" disabled={isWithoutRoom}>
      <legend>{texts.parts[part]}</legend>
      {isWithoutRoom ? <p class="help">{texts.noRoom}</p> : null}
      {isCovered ? <p class="help">{texts.covered}</p> : null}
      <div class="maker-tiles">
        {parts[part].map((choice) => (
          <label key={choice} class="maker-tile">
            <input
              type="radio"
              name={id}
              checked={recipe[part] === choice}
              onChange={() => onChange({ ...recipe, [part]: choice })}
            />
            <img src={pictureOf(part, { ...recipe, [part]: choice })} alt="" />
            <span>{names[choice]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The part of the face that a choice changes. Clothes are shown as a whole. */
function pictureOf(part: Part, recipe: Recipe): string {
  const { full, thumb } = drawFace(recipe);
  if (part === 'clothes') return imageOf(full.replace('viewBox="0 0 480 640"', 'viewBox="40 250 400 400"'));
  return imageOf(thumb.replace('viewBox="0 0 256 256"', `viewBox="${views[part]}"`));
}

interface ColorChoicesProps {
  part: ColorPart;
  recipe: Recipe;
  /** `isSameStep` while a colour is being dragged. */
  onChange(recipe: Recipe, isSameStep?: boolean): void;
}

/** The colours of a part, and any other one where that is allowed. */
export function ColorChoices({ part, recipe, onChange }: ColorChoicesProps) {
  const id = useId();
  const offered: readonly string[] = colors[part];
  const present = recipe[part];
  const isFree = freeColors.includes(part);
  const set = (color: string, isSameStep = false) => {
    if (color !== recipe[part]) onChange({ ...recipe, [part]: color }, isSameStep);
  };
  return (
    <fieldset class="maker-choices">
      <legend>{texts.colorParts[part]}</legend>
      <div class="maker-swatches">
        {offered.map((color, n) => (
          <label key={color} class="maker-swatch" title={texts.colors[part][n]}>
            <input
              type="radio"
              name={id}
              aria-label={texts.colors[part][n]}
              checked={present === color}
              onChange={() => set(color)}
            />
            <Swatch color={color} />
          </label>
        ))}
        {isFree ? (
          <label class="maker-own">
            <input
              type="color"
              aria-label={texts.ownColor(texts.colorParts[part])}
              value={present}
              onInput={({ currentTarget }) => {
                const { isDragged } = currentTarget.dataset;
                set(currentTarget.value, isDragged !== undefined);
                currentTarget.dataset.isDragged = '';
              }}
              onChange={({ currentTarget }) => {
                delete currentTarget.dataset.isDragged;
              }}
            />
            <span>{texts.own}</span>
          </label>
        ) : null}
      </div>
    </fieldset>
  );
}

const Swatch = ({ color }: { color: string }) => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <circle cx="16" cy="16" r="15" fill={color} />
  </svg>
);
