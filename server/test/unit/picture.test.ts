import { expect, test } from 'vitest';
import { checkUpload, readPicture } from '../../src/art/picture.ts';
import { avif, hostileFiles, jpeg, png, svg, webp } from '../harness/pictures.ts';

const lossless = Buffer.from('RIFF\x14\0\0\0WEBPVP8L\x08\0\0\0\x2f\x3f\x80\x0a\0\0\0\0', 'latin1');
const extended = Buffer.from('RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x3f\0\0\x2a\0\0', 'latin1');

test.each<[string, Buffer, object]>([
  ['PNG', png(640, 480), { type: 'image/png', width: 640, height: 480 }],
  ['JPEG', jpeg, { type: 'image/jpeg', width: 1200, height: 800 }],
  ['WebP', webp, { type: 'image/webp', width: 240, height: 160 }],
  ['lossless WebP', lossless, { type: 'image/webp', width: 64, height: 43 }],
  ['extended WebP', extended, { type: 'image/webp', width: 64, height: 43 }],
  ['AVIF', avif, { type: 'image/avif', width: 240, height: 160 }],
  [
    'a PNG of exactly 40 million pixels',
    png(8_000, 5_000),
    { type: 'image/png', width: 8_000, height: 5_000 },
  ],
  ['SVG', svg(), { type: 'image/svg+xml', width: 40, height: 30 }],
  ['an SVG with a size', svg('', 'width="12.4px" height="100%"'), { type: 'image/svg+xml', width: 12 }],
  ['an SVG without a size', svg('', ''), { type: 'image/svg+xml' }],
  [
    'an SVG with declaration, byte order mark and comments',
    Buffer.from(
      '\uFEFF<?xml version="1.0" encoding="utf-8"?>\n<!-- <not/> -->\n<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>\n<!-- end -->\n',
    ),
    { type: 'image/svg+xml' },
  ],
  [
    'an SVG with links, embedded pictures, own references and a script',
    svg(
      '<a href="https://example.com"><rect fill="url(#g)"/></a><image href="data:image/png;base64,AA"/><use href="#g"/><script><![CDATA[if (1 < 2) alert(1)]]></script><style>a { fill: url("#g") }</style>',
    ),
    { type: 'image/svg+xml', width: 40, height: 30 },
  ],
])('recognises %s and its size', (_, content, expected) => {
  expect(readPicture(content)).toEqual(expected);
});

test.each(Object.entries(hostileFiles))('refuses %s', (_, [content, reason]) => {
  const result = readPicture(content);
  expect(result).toEqual({ problem: expect.stringContaining(reason) });
});

test.each(Object.entries({ png: png(40, 30), jpeg, webp, avif, svg: svg('<g/>') }))(
  'refuses every beginning of a %s',
  (_, whole) => {
    for (let length = 1; length < whole.length; length += Math.ceil(whole.length / 500))
      expect(readPicture(whole.subarray(0, length)), String(length)).toHaveProperty('problem');
  },
);

test('reads any damaged file without an exception', () => {
  for (const whole of [
    png(40, 30),
    jpeg.subarray(0, 2_000),
    webp,
    avif,
    svg('<g id="a"><use href="#a"/></g>'),
  ]) {
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0, 0xff, whole[at]! ^ 0x20]) {
        const damaged = Buffer.from(whole);
        damaged[at] = value;
        expect(readPicture(damaged)).toBeTypeOf('object');
      }
    }
  }
});

test.each<[string | undefined, string | undefined, string | undefined]>([
  [undefined, undefined, undefined],
  ['image/png', 'a.png', undefined],
  ['IMAGE/PNG; charset=binary', 'a.PNG', undefined],
  ['application/octet-stream', 'no extension', undefined],
  ['application/octet-stream', 'a.tar.gz', undefined],
  ['image/jpeg', undefined, 'is image/jpeg, but the file is a PNG; send image/png'],
  ['image/x-png', undefined, 'is image/x-png, but the file is a PNG'],
  ['image/png', 'a.jpeg', 'has an extension of another type, but the file is a PNG; use .png'],
  [undefined, 'a.svg', 'has an extension of another type'],
  ['text/html', undefined, 'is text/html; send the bytes of the picture as image/png'],
  ['multipart/form-data; boundary=x', undefined, 'is multipart/form-data; send'],
  ['application/x-www-form-urlencoded', undefined, 'is application/x-www-form-urlencoded; send'],
])('a PNG sent as %s with the name %s', (contentType, name, problem) => {
  const check = () => checkUpload(png(4, 3), { contentType, name });
  if (problem === undefined) expect(check()).toEqual({ type: 'image/png', width: 4, height: 3 });
  else expect(check).toThrow(problem);
});
