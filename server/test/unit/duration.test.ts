import { describe, expect, it } from 'vitest';
import { parseExpiry } from '../../src/cli/duration.ts';

const now = new Date('2026-01-31T10:00:00.000Z');
const at = (text: string) => parseExpiry(text, now).toISOString();

describe('parseExpiry', () => {
  it.each([
    ['30s', '2026-01-31T10:00:30.000Z'],
    ['15m', '2026-01-31T10:15:00.000Z'],
    ['12h', '2026-01-31T22:00:00.000Z'],
    ['90d', '2026-05-01T10:00:00.000Z'],
    ['P90D', '2026-05-01T10:00:00.000Z'],
    ['PT12H', '2026-01-31T22:00:00.000Z'],
    ['P1DT2H3M4S', '2026-02-01T12:03:04.000Z'],
    ['P2W', '2026-02-14T10:00:00.000Z'],
    ['PT0.5H', '2026-01-31T10:30:00.000Z'],
    ['PT1,5S', '2026-01-31T10:00:01.500Z'],
    ['P1M', '2026-02-28T10:00:00.000Z'],
    ['P2M', '2026-03-31T10:00:00.000Z'],
    ['P1Y', '2027-01-31T10:00:00.000Z'],
    ['P100Y', '2126-01-31T10:00:00.000Z'],
    ['2030-06-01', '2030-06-01T00:00:00.000Z'],
    ['2030-06-01T12:00Z', '2030-06-01T12:00:00.000Z'],
    ['2030-06-01T12:00:00.250+02:00', '2030-06-01T10:00:00.250Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  it.each([
    '',
    '30',
    's',
    '1.5h',
    '-5m',
    '+5m',
    '5 m',
    ' 5m',
    '5M',
    '1w',
    '1h30m',
    'P',
    'PT',
    'P1DT',
    'PT12',
    'P-1D',
    'p1d',
    'P1.5Y',
    'P0.5M',
    'P1.5DT1H',
    'P1D1M',
    'never',
    '2030-13-01',
    '2030-02-30T00:00:00Z',
    '2027-02-29',
    '2030-06-01T12:00:00',
    '2030-06-01T25:00:00Z',
    '2030-06-01 12:00:00Z',
    '1900000000',
  ])('%j is rejected', (text) => {
    expect(() => at(text)).toThrow(/it must be 30s, 15m, 12h, 90d/);
  });

  it.each(['0s', '0d', 'P0D', 'PT0S', '2026-01-31T10:00:00Z', '2020-01-01', '2026-01-31T11:00:00+02:00'])(
    '%s is not in the future',
    (text) => {
      expect(() => at(text)).toThrow('it must be in the future');
    },
  );

  it.each(['36526d', 'P101Y', 'P100YT1S', `${'9'.repeat(400)}d`, `P${'9'.repeat(400)}Y`, '9999-12-31'])(
    '%s is too far in the future',
    (text) => {
      expect(() => at(text)).toThrow('it must be within 100 years');
    },
  );
});
