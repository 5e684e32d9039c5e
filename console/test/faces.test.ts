import { expect, test } from 'vitest';
import type { Experience } from '../src/editor/document/model.ts';
import { facesIn } from '../src/editor/tabs/setup/appearance/project-faces.ts';
import { withFace, withoutFace } from '../src/editor/tabs/setup/appearance/with-face.ts';
import { drawFace } from '../src/faces/drawing/face.ts';
import {
  colorNames,
  colors,
  partNames,
  parts,
  type Recipe,
  recipeFrom,
  storedRecipe,
} from '../src/faces/drawing/recipe.ts';
import { surprise } from '../src/faces/drawing/surprise.ts';
import { groups } from '../src/faces/maker/groups.ts';
import { begun, changed, redone, undone } from '../src/faces/maker/history.ts';
import { imageIn } from '../src/faces/picture/save.ts';
import { recipeIn, recipeOfFace, withRecipe } from '../src/faces/recipe-of-face.ts';
import { facesTexts } from '../src/texts/editor/faces.ts';

test('undo and redo go back and forth; a change forgets what was undone; steps of one drag are one', () => {
  let history = begun('a');
  expect(undone(history)).toBe(history);
  expect(redone(history)).toBe(history);
  history = changed(changed(history, 'b'), 'c');
  history = changed(changed(history, 'd', true), 'e', true);
  expect(history).toEqual({ past: ['a', 'b'], present: 'e', future: [] });
  history = undone(undone(history));
  expect(history).toEqual({ past: [], present: 'a', future: ['b', 'e'] });
  expect(redone(history).present).toBe('b');
  expect(changed(redone(history), 'f')).toEqual({ past: ['a', 'b'], present: 'f', future: [] });
  for (let n = 0; n < 500; n++) history = changed(history, String(n));
  expect(history.past).toHaveLength(200);
});

test('a stored recipe is read as it was; what is unknown in it becomes the first choice', () => {
  const recipe = surprise(5);
  const stored = JSON.parse(JSON.stringify(storedRecipe(recipe)));
  expect(recipeFrom(stored)).toEqual(recipe);
  expect(JSON.stringify(stored).length).toBeLessThan(1_000);
  const odd = {
    ...stored,
    hair: 'mohawk',
    skin: '#12ab9f',
    eyeColor: '#12ab9f',
    hat: ['cap'],
    script: '<b>',
  };
  expect(recipeFrom(odd)).toEqual({
    ...recipe,
    hair: 'short',
    skin: '#12ab9f',
    eyeColor: colors.eyeColor[0],
    hat: 'none',
  });
  for (const color of ['red', '#fff', '#12345G', 'url(#a)', '#123456"/>', 7, null])
    expect(recipeFrom({ ...stored, skin: color })!.skin).toBe(colors.skin[0]);
  for (const other of [undefined, null, 'maker', 3, [], {}, { maker: 2 }, { eyes: [1, 2] }])
    expect(recipeFrom(other)).toBeUndefined();
});

test('a face that is chosen again has the recipe that it was made from', async () => {
  const recipe = storedRecipe(surprise(5));
  const { thumb } = drawFace(recipe);
  const never = () => Promise.reject(new Error('not needed'));
  const drawing = withRecipe(thumb, recipe);
  expect(recipeIn(drawing)).toEqual(recipe);
  const fullPath = '/avatars/fac_1/full.svg';
  expect(await recipeOfFace({ rig: 1, fullPath }, async () => drawing)).toEqual(recipe);
  const image = '/avatars/fac_1/full.webp';
  expect(imageIn(await recipeOfFace({ rig: 2, fullPath: image }, never))).toBe(image);
  for (const other of [
    '{}',
    '{"maker":2}',
    '{maker}',
    'A ferry',
    `{"maker":1,"hair":"${'x'.repeat(5_000)}"}`,
  ])
    expect(recipeIn(thumb.replace('</svg>', `<desc>${other}</desc></svg>`)), other).toBeUndefined();
  expect(recipeIn(thumb)).toBeUndefined();
});

test('every part and every colour is on a tab, and every choice has a name', () => {
  const shown = (recipe: Partial<Recipe>) =>
    new Set(groups.flatMap(({ colors }) => colors({ ...surprise(1), ...recipe })));
  expect(groups.flatMap((group) => group.parts).sort()).toEqual([...partNames].sort());
  expect([...shown({ eyes: 'round', hair: 'long', hat: 'cap' })].sort()).toEqual([...colorNames].sort());
  expect(shown({ hair: 'turban', hat: 'cap' })).toContain('headwearColor');
  for (const part of partNames) expect(Object.keys(facesTexts.maker.choices[part])).toEqual([...parts[part]]);
  for (const part of colorNames)
    expect(new Set(facesTexts.maker.colors[part]).size).toBe(colors[part].length);
});

const face = {
  faceId: 'fac_1',
  recipe: { maker: 1 },
  fullPath: '/avatars/fac_1/full.svg',
  thumbPath: '/avatars/fac_1/thumb.svg',
};
const picture = {
  faceId: 'fac_2',
  fullPath: '/avatars/fac_2/full.png',
  thumbPath: '/avatars/fac_2/thumb.webp',
};
const document = (settings: object, avatar?: object, location?: object) =>
  ({
    ...settings,
    runtime: {
      characters: [
        { characterId: 'a', name: 'Ada', ...(avatar === undefined ? {} : { avatar }) },
        { characterId: 'b', name: 'Bo' },
      ],
      ...(location === undefined ? {} : { location }),
    },
  }) as unknown as Experience;
const harbor = { assets: ['/models/boat.glb', '/locations/harbor/wide.svg'] };

test('a face fills the gallery of an experience that has none, with the picture of the location behind it', () => {
  const { document: made, isInGallery } = withFace(document({ title: 'T' }, undefined, harbor), 0, face);
  expect(isInGallery).toBe(true);
  expect(made).toEqual({
    ...document({ title: 'T' }, { avatarId: 'fac_1', recipe: { maker: 1 } }, harbor),
    avatarId: 'fac_1',
    thumbnailPath: face.thumbPath,
    galleryThumb: { avatarImage: face.fullPath, backgroundImage: '/locations/harbor/wide.svg' },
  });
  // The service refuses one of the two pictures of a card alone.
  expect(withFace(document({}), 0, face).document).not.toHaveProperty('galleryThumb');
});

test('a gallery that shows the face before follows, and one with other pictures does not', () => {
  const before = {
    avatarId: 'fac_1',
    thumbnailPath: face.thumbPath,
    galleryThumb: { avatarImage: face.fullPath, backgroundImage: '/locations/own.svg' },
  };
  const avatar = { avatarId: 'fac_1', recipe: { maker: 1 }, modelPath: '/a.glb' };
  const replaced = withFace(document(before, avatar), 0, picture).document;
  expect(replaced).toMatchObject({
    avatarId: 'fac_2',
    thumbnailPath: picture.thumbPath,
    galleryThumb: { avatarImage: picture.fullPath, backgroundImage: '/locations/own.svg' },
  });
  // A picture is also named as the still one of players that cannot move it.
  expect(replaced.runtime.characters[0]!.avatar).toEqual({
    modelPath: '/a.glb',
    avatarId: 'fac_2',
    imagePath: picture.fullPath,
  });
  expect(withFace(replaced, 0, face).document.runtime.characters[0]!.avatar).toEqual(avatar);
  const own = {
    avatarId: 'x',
    thumbnailPath: '/avatars/prj_1/x.png',
    galleryThumb: { avatarImage: '/avatars/x/full.svg', backgroundImage: '/locations/own.svg' },
  };
  const kept = withFace(document(own, avatar), 0, picture);
  expect([kept.document, kept.isInGallery]).toMatchObject([own, false]);
  expect(withFace(document(before, avatar), 1, picture).document).toMatchObject(before);
});

test('a character without its face keeps its other settings', () => {
  const [removed] = withoutFace(document({}, { avatarId: 'fac_1', recipe: {}, modelPath: '/a.glb' }), 0)
    .runtime.characters;
  expect(removed!.avatar).toEqual({ modelPath: '/a.glb' });
  expect(withoutFace(document({}, { avatarId: 'maren' }), 0).runtime.characters[0]).toEqual({
    characterId: 'a',
    name: 'Ada',
  });
});

test('the folders of avatars among pictures can be chosen; those of faces are listed by the service', () => {
  const paths = [
    '/avatars/maren/thumb.svg',
    '/avatars/maren/full.svg',
    '/avatars/jun/full.webp',
    '/avatars/fac_1/full.svg',
    '/avatars/prj_1/9f86.png',
    '/locations/harbor/wide.svg',
  ];
  expect(facesIn(paths)).toEqual([
    { faceId: 'maren', fullPath: '/avatars/maren/full.svg', thumbPath: '/avatars/maren/thumb.svg' },
    { faceId: 'jun', fullPath: '/avatars/jun/full.webp', thumbPath: '/avatars/jun/full.webp' },
  ]);
});
