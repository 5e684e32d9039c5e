import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isoTime } from '../../src/primitives/iso-time.ts';

test('an instant is written as a date writes it', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(isoTime(date)).toBe(date.toISOString());
      expect(isoTime(date.getTime())).toBe(date.toISOString());
    }),
  );
});
