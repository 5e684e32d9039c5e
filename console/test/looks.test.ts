import { expect, test } from 'vitest';
import type { Experience } from '../src/editor/document/model.ts';

import { looksOf } from '../src/editor/preview/looks.ts';

const document = (runtime: object) => ({ runtime }) as unknown as Experience;

test('the card shows the pictures of each character, its own first, before the first picture of the location', () => {
  const runtime = {
    location: { assets: ['/locations/harbor/light.json', '/locations/harbor/wide.svg', '/other.png'] },
    characters: [
      { name: 'Maren', avatar: { avatarId: 'maren' } },
      { name: 'Jun', avatar: { imagePath: '/art/jun.webp', thumbnailPath: '/art/small.webp' } },
      { name: 'Nobody' },
      { name: 'Outside', avatar: { avatarId: '../secret' } },
    ],
  };
  expect(looksOf(document(runtime), false)).toEqual({
    scene: '/locations/harbor/wide.svg',
    characters: [
      { name: 'Maren', pictures: ['/avatars/maren/full.svg', '/avatars/maren/thumb.svg'] },
      { name: 'Jun', pictures: ['/art/jun.webp', '/art/small.webp'] },
      { name: 'Nobody', pictures: [] },
      { name: 'Outside', pictures: [] },
    ],
  });
  expect(looksOf(document(runtime), true)).toEqual({ scene: undefined, characters: [] });
});
