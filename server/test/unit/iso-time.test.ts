import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../../src/primitives/iso-time.ts';

test('a time is formatted like Date.toISOString', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(isoTime(date)).toBe(date.toISOString());
      expect(isoTime(date.getTime())).toBe(date.toISOString());
    }),
  );
});
