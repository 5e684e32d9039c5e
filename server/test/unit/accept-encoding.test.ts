import { expect, test } from 'vitest';
import { prefersGzip } from '../../src/http/routes/accept-encoding.ts';

test.each([
  'gzip',
  'GZIP',
  'x-gzip',
  'gzip, deflate, br, zstd',
  'deflate, gzip;q=1.0, *;q=0.5',
  'br;q=1.0, gzip;q=0.001',
  'gzip ; q=0.5 , identity;q=0.5',
  '*',
  'identity;q=0, *;q=0.1',
  'gzip, *;q=0',
  'gzip, identity;q=0',
])('"%s" gets gzip', (header) => {
  expect(prefersGzip(header)).toBe(true);
});

test.each([
  undefined,
  '',
  'identity',
  'br, deflate',
  'gzip;q=0',
  'gzip; q=0.000',
  'gzip;q=0, br',
  'gzip;q=0, *',
  '*;q=0',
  'identity, *;q=0',
  'gzip;q=0.5, identity',
  'not-gzip',
  'gzip-like',
  'gzip;q=2',
  'gzip;level=9',
  '*;q=0, identity;q=0',
])('"%s" gets the plain bytes', (header) => {
  expect(prefersGzip(header)).toBe(false);
});
