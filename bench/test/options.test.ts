import { describe, expect, it } from 'vitest';
import { readOptions, UsageError } from '../options.ts';

describe('options of a benchmark run', () => {
  it('have defaults for a comparison', () => {
    expect(readOptions([])).toEqual({ rounds: 5, seconds: 5, sessions: 1_000_000, write: true });
  });

  it('use many short rounds when two builds are compared, and write no files', () => {
    expect(readOptions(['--against', '../before'])).toEqual({
      rounds: 20,
      seconds: 2,
      sessions: 0,
      write: false,
      against: '../before',
    });
  });

  it('use few sessions when connects of two builds are compared', () => {
    expect(readOptions(['--connects', '../before'])).toEqual({
      rounds: 5,
      seconds: 0,
      sessions: 4_000,
      write: false,
      connects: '../before',
    });
    expect(() => readOptions(['--connects', ''])).toThrow(UsageError);
  });

  it('use separate round settings for the session lifecycle', () => {
    expect(readOptions(['--lifecycle', '--rounds', '3'])).toEqual({
      rounds: 3,
      seconds: 15,
      sessions: 1_000_000,
      write: false,
      lifecycle: true,
    });
  });

  it('store 20 million sessions for the scale measurement', () => {
    const usual = { rounds: 7, seconds: 30, sessions: 20_000_000, write: true, scale: true };
    expect(readOptions(['--scale'])).toEqual(usual);
    expect(readOptions(['--scale', '--sessions', '40000', '--no-write'])).toEqual({
      ...usual,
      sessions: 40_000,
      write: false,
    });
  });

  it('store 20 million sessions for the reads of the admin API', () => {
    const usual = { rounds: 7, seconds: 15, sessions: 20_000_000, write: false, admin: true };
    expect(readOptions(['--admin'])).toEqual(usual);
    expect(readOptions(['--admin', '--sessions', '100000'])).toEqual({ ...usual, sessions: 100_000 });
    expect(() => readOptions(['--admin', '--scale'])).toThrow(/exclude each other/);
  });

  it('measure conversations, in full or for one minute', () => {
    const usual = { rounds: 5, seconds: 10, sessions: 0, write: true };
    const small = { rounds: 1, seconds: 3, sessions: 0, write: false };
    expect(readOptions(['conversation'])).toEqual({ ...usual, conversation: { turns: 40 } });
    expect(readOptions(['conversation', '--quick', '--turns', '20'])).toEqual({
      ...small,
      conversation: { turns: 20 },
    });
  });

  it('are read from the command line', () => {
    const args = ['--rounds', '1', '--seconds', '1', '--sessions', '0', '--no-write'];
    expect(readOptions(args)).toEqual({ rounds: 1, seconds: 1, sessions: 0, write: false });
    expect(readOptions(['--help', '--rounds', 'x'])).toBe('help');
  });

  it.each([
    [['--rounds', '0'], /--rounds is a whole number of at least 1, not 0/],
    [['--seconds', '1.5'], /--seconds/],
    [['--sessions=-1'], /--sessions/],
    [['--rounds', ''], /--rounds/],
    [['--against', ''], /--against needs a folder/],
    [['--stock', '--lifecycle'], /exclude/],
    [['--stock', '--scale'], /exclude/],
    [['--stock', '--rounds', '0'], /--rounds/],
    [['--lifecycle', '--sessions', '10'], /--sessions/],
    [['--lifecycle', '--against', 'x'], /exclude/],
    [['--scale', '--lifecycle'], /exclude/],
    [['--scale', '--against', 'x'], /exclude/],
    [['--scale', '--sessions', '3999'], /--sessions/],
    [['--agianst', 'x'], /--agianst/],
    [['again'], /again/],
    [['conversation', 'twice'], /twice/],
    [['conversation', '--turns', '0'], /--turns/],
  ])('reject %j', (args, says) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(says);
  });
});
