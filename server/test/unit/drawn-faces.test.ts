import { expect, test } from 'vitest';
import { contrast } from '../../../console/src/faces/drawing/color.ts';
import { type DrawnFace, drawFace } from '../../../console/src/faces/drawing/face.ts';
import { headOutline } from '../../../console/src/faces/drawing/head.ts';
import { colors, freeColors, parts, type Recipe } from '../../../console/src/faces/drawing/recipe.ts';
import { anyRecipe, seeded, surprise } from '../../../console/src/faces/drawing/surprise.ts';
import { checkFace } from '../../src/art/check-face.ts';
import { canResize } from '../harness/art.ts';

const count = 500;
const random = seeded(20_261_119);
const anyColor = () =>
  `#${Math.floor(random() * 0x1000000)
    .toString(16)
    .padStart(6, '0')}`;

/** Every second face has colours that are not offered. */
const recipes: readonly Recipe[] = Array.from({ length: count }, (_, n) => {
  const recipe = anyRecipe(random);
  return n % 2 === 0
    ? recipe
    : { ...recipe, ...Object.fromEntries(freeColors.map((part) => [part, anyColor()])) };
});
const faces = recipes.map((recipe) => ({ recipe, face: drawFace(recipe) }));

const base64 = (text: string) => Buffer.from(text).toString('base64');
const uploaded = ({ full, thumb, rig }: DrawnFace) =>
  checkFace({ full: base64(full), thumb: base64(thumb), rig });

/** The points of a path of absolute cubic curves, eight on each curve. */
function pointsOf(path: string): [x: number, y: number][] {
  const points: [number, number][] = [];
  let last: [number, number] = [0, 0];
  let control: [number, number] = [0, 0];
  for (const [, command, text = ''] of path.matchAll(/([MCS])([\d.,\s]+)/g)) {
    const numbers = text
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const pairs = Array.from({ length: numbers.length / 2 }, (_, n) => numbers.slice(2 * n, 2 * n + 2)) as [
      number,
      number,
    ][];
    if (command === 'M') last = pairs[0]!;
    const size = command === 'C' ? 3 : 2;
    for (let n = 0; command !== 'M' && n < pairs.length; n += size) {
      const curve = pairs.slice(n, n + size);
      const mirrored: [number, number] = [2 * last[0] - control[0], 2 * last[1] - control[1]];
      const [a, b, c] = (size === 3 ? curve : [mirrored, ...curve]) as [number, number][];
      for (let step = 1; step <= 8; step++) {
        const t = step / 8;
        const at = (axis: 0 | 1) =>
          (1 - t) ** 3 * last[axis] +
          3 * (1 - t) ** 2 * t * a![axis] +
          3 * (1 - t) * t ** 2 * b![axis] +
          t ** 3 * c![axis];
        points.push([at(0), at(1)]);
      }
      last = c!;
      control = b!;
    }
  }
  return points;
}

function contains(outline: readonly [number, number][], [x, y]: [number, number]): boolean {
  let isInside = false;
  outline.forEach(([x1, y1], n) => {
    const [x2, y2] = outline[(n + 1) % outline.length]!;
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside;
  });
  return isInside;
}

/** The recipes whose faces do not pass a check. */
const failing = (passes: (face: DrawnFace, recipe: Recipe) => boolean) =>
  faces.filter(({ face, recipe }) => !passes(face, recipe)).map(({ recipe }) => recipe);

test(`the service accepts each of ${count} random faces, and the rig fits the drawing`, () => {
  for (const { face } of faces) uploaded(face);
});

test('a drawing has only what players keep: known elements and attributes, and no id twice', () => {
  const drawings = faces.flatMap(({ face: { full, thumb } }) => [full, thumb]);
  const found = (pattern: RegExp) =>
    new Set(drawings.flatMap((drawing) => [...drawing.matchAll(pattern)].map(([, name]) => name)));
  const kept =
    'svg defs linearGradient stop clipPath g path circle ellipse rect ' +
    'xmlns viewBox width height id x1 y1 x2 y2 offset stop-color d fill fill-rule opacity transform clip-path ' +
    'cx cy r rx ry x y stroke stroke-width stroke-linecap stroke-linejoin';
  for (const name of [...found(/<([\w-]+)/g), ...found(/\s([\w:-]+)="/g)])
    expect(kept.split(' ')).toContain(name);
  for (const drawing of drawings) {
    const ids = [...drawing.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    if (new Set(ids).size !== ids.length) expect.fail(drawing);
    // The reader of the console takes these forms of tags only, and the dialog encodes ASCII.
    const rest = drawing.replace(/<\/?[A-Za-z]+(?:\s+[\w:-]+="[^"&]*")*\s*\/?>/g, '');
    if (rest !== '' || /undefined|NaN|SKIN|[^ -~]/.test(drawing)) expect.fail(drawing);
  }
  expect(Math.max(...drawings.map(({ length }) => length))).toBeLessThan(16_000);
});

test('the mouth stays inside the head, however wide it opens', () => {
  const outlines = Object.fromEntries(parts.head.map((shape) => [shape, pointsOf(headOutline(shape))]));
  const leaving = failing(({ rig }, recipe) => {
    const { at, width, height, smile } = rig.mouth;
    const [x, y] = at;
    // The largest values of `Mouth` in the SDK, with half of the width of the lips.
    const lip = width * 0.075;
    const [halfWidth, open] = [width * 1.14 + lip, height * 1.15];
    const extremes: [number, number][] = [
      [x - halfWidth, y - smile],
      [x + halfWidth, y - smile],
      [x, y + open * 0.66 + lip],
      [x - width * 0.6, y + open * 0.5 + lip],
      [x + width * 0.6, y + open * 0.5 + lip],
    ];
    return extremes.every((point) => contains(outlines[recipe.head]!, point));
  });
  expect(leaving).toEqual([]);
});

test('the mouth has a contrast of at least 3 to the skin', () => {
  expect(failing(({ rig }, { skin }) => contrast(rig.mouth.colors.lip, skin) >= 3)).toEqual([]);
  expect(failing(({ rig: { mouth } }) => contrast(mouth.colors.teeth, mouth.colors.inside) > 7)).toEqual([]);
});

test.runIf(canResize)('no part leaves the picture, and every face fills it', async () => {
  const { default: sharp } = await import('sharp');
  // A margin around the picture must stay transparent.
  const margin = 48;
  // A face is drawn if one of these pairs is new in it: other choices change colours, or what lies inside of the face.
  const known = new Set<string>();
  const distinct = faces.filter(({ recipe: { hair, hat, clothes, head, beard, jewellery } }) => {
    const before = known.size;
    for (const pair of [`${hair} ${hat}`, `${clothes} clothes`, `${head} ${beard}`, `${hair} ${jewellery}`])
      known.add(pair);
    return known.size > before;
  });
  for (const { recipe, face } of distinct) {
    const wider = face.full.replace(
      'viewBox="0 0 480 640" width="480" height="640"',
      `viewBox="${-margin} ${-margin} ${480 + 2 * margin} ${640 + 2 * margin}" width="144" height="184"`,
    );
    const { data, info } = await sharp(Buffer.from(wider)).raw().toBuffer({ resolveWithObject: true });
    const isDrawn = (column: number, row: number) => data[(row * info.width + column) * 4 + 3]! > 24;
    const edge = margin / 4;
    let drawn = 0;
    for (let row = 0; row < info.height; row++)
      for (let column = 0; column < info.width; column++) {
        if (!isDrawn(column, row)) continue;
        drawn++;
        const isInside =
          column >= edge && column < info.width - edge && row >= edge && row <= info.height - edge;
        if (!isInside) expect.fail(`${column}, ${row}: ${JSON.stringify(recipe)}`);
      }
    expect(drawn / (120 * 160)).toBeGreaterThan(0.3);
  }
});

test('surprises differ, repeat with their seed, and use only what is offered', () => {
  const made = Array.from({ length: 200 }, (_, seed) => surprise(seed));
  expect(new Set(made.map((recipe) => JSON.stringify(recipe))).size).toBe(200);
  expect(surprise(7)).toEqual(made[7]);
  for (const recipe of made) {
    for (const [name, offered] of Object.entries({ ...parts, ...colors }))
      expect(offered).toContain(recipe[name as keyof Recipe]);
    if (recipe.hair === 'headscarf' || recipe.hair === 'turban') expect(recipe.hat).toBe('none');
  }
  // Each choice is made at some time.
  for (const [name, offered] of Object.entries(parts))
    for (const one of offered)
      expect(made.filter((recipe) => recipe[name as keyof Recipe] === one).length, one).toBeGreaterThan(0);
});
