import { describe, expect, it } from 'vitest';
import { readOptions, UsageError } from '../options.ts';

describe('options of a run', () => {
  it('has defaults for a comparison', () => {
    expect(readOptions([])).toEqual({ rounds: 5, seconds: 5, sessions: 1_000_000, write: true });
  });

  it('has many short rounds beside another build, and writes nothing', () => {
    expect(readOptions(['--against', '../before'])).toEqual({
      rounds: 20,
      seconds: 2,
      sessions: 0,
      write: false,
      against: '../before',
    });
  });

  it('measures the life of sessions with rounds of its own', () => {
    expect(readOptions(['--lifecycle', '--rounds', '3'])).toEqual({
      rounds: 3,
      seconds: 15,
      sessions: 1_000_000,
      write: false,
      lifecycle: true,
    });
  });

  it('measures conversations, in full or in a minute', () => {
    const usual = { rounds: 5, seconds: 10, sessions: 0, write: true };
    const small = { rounds: 1, seconds: 3, sessions: 0, write: false };
    expect(readOptions(['conversation'])).toEqual({ ...usual, conversation: { turns: 40, clicks: 30 } });
    expect(readOptions(['conversation', '--quick', '--turns', '20'])).toEqual({
      ...small,
      conversation: { turns: 20, clicks: 3 },
    });
  });

  it('takes what it is told', () => {
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
    [['--lifecycle', '--sessions', '10'], /--sessions/],
    [['--lifecycle', '--against', 'x'], /exclude/],
    [['--agianst', 'x'], /--agianst/],
    [['again'], /again/],
    [['conversation', 'twice'], /twice/],
    [['conversation', '--clicks', '0'], /--clicks/],
  ])('refuses %j', (args, says) => {
    expect(() => readOptions(args)).toThrow(UsageError);
    expect(() => readOptions(args)).toThrow(says);
  });
});
