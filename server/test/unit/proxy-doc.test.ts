import { expect, test } from 'vitest';
import { readPage } from '../harness/pages.ts';

test('docs/operations.md quotes examples/proxy/nginx.conf verbatim', () => {
  const [, quoted] = /^```nginx\n([\s\S]*?)^```$/m.exec(readPage('docs/operations.md')) ?? [];
  expect(quoted).toBe(readPage('examples/proxy/nginx.conf'));
});
