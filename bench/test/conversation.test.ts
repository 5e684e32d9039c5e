import { describe, expect, it } from 'vitest';
import { type Figure, figure, isReached } from '../conversation/figure.ts';
import type { Frame } from '../conversation/listener.ts';
import { mouthErrors, soundOf } from '../conversation/mouth.ts';
import { plotConversation } from '../conversation/plot.ts';
import { conversationMarkdown } from '../conversation/report.ts';

const measured = (limit: number, ...rounds: number[]): Figure => ({ ...figure('a turn', limit), rounds });

describe('a figure', () => {
  it('is reached when the median of its rounds is within the limit', () => {
    expect(isReached(measured(100, 90, 100, 900))).toBe(true);
    expect(isReached(measured(100, 101, 1, 900))).toBe(false);
    expect(isReached(measured(100))).toBeUndefined();
    expect(isReached(measured(0, 0, 0, 0))).toBe(true);
  });

  it('stands in the table with its median and its extremes', () => {
    const text = conversationMarkdown({
      date: '2026-01-02',
      extent: { rounds: 3, turns: 40, clicks: 30, seconds: 10 },
      figures: [measured(100, 90, 80, 120.4), measured(100, 300, 200, 400), measured(5)],
    });
    expect(text).toContain('3 rounds, of 40 turns, 30 clicks and 10 s each');
    expect(text).toContain('| a turn | ≤ 100 ms | 90 ms | 80 ms | 120 ms | yes |\n');
    expect(text).toContain('| a turn | ≤ 100 ms | 300 ms | 200 ms | 400 ms | **no** |\n');
    expect(text).toContain('| a turn | ≤ 5 ms | – | – | – | not measured here |\n');
  });

  it('is a bar in the picture, with a line over its rounds', () => {
    const picture = plotConversation([measured(100, 50, 25, 100), measured(100, 900), measured(5)]);
    // The limit is in the middle; what is longer than twice the limit is cut.
    expect(picture).toContain('width="105.0"');
    expect(picture).toContain('x1="482.5" y1="49" x2="640.0"');
    expect(picture).toContain('width="420.0"');
    expect(picture).toContain('>not measured here<');
    expect(picture).not.toContain('NaN');
  });
});

describe('the mouth against the sound', () => {
  const rate = 16_000;
  const silent = (ms: number) => Array<number>((ms * rate) / 1000).fill(0);
  const loud = (ms: number) =>
    Array.from({ length: (ms * rate) / 1000 }, (_, i) => Math.round(Math.sin(i / 3) * 9000));

  it('finds where something is heard', () => {
    expect(soundOf([...silent(40), ...loud(200), ...silent(100)], rate)).toEqual({
      fromMs: 40,
      untilMs: 240,
    });
    expect(soundOf(silent(40), rate)).toBeUndefined();
  });

  it('compares where the mouth opens and closes with it', () => {
    const samples = Int16Array.from([...silent(40), ...loud(200), ...silent(100)]);
    const half = samples.length / 2;
    const frames: Frame[] = [samples.subarray(0, half), samples.subarray(half)].map((part) => ({
      utterance: 1,
      samples: part,
      at: 0,
    }));
    const cues = [
      [0, 'sil'],
      [55, 'aa'],
      [230, 'sil'],
    ];
    const events = [{ type: 'cues', seq: 1, utterance: 1, source: 'engine', cues }];
    expect(mouthErrors({ events: events as never, frames })).toEqual([15, 10]);
  });
});
