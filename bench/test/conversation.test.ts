import { describe, expect, it } from 'vitest';
import { type Figure, figure, isReached } from '../conversation/figure.ts';
import { plotConversation } from '../conversation/plot.ts';
import { conversationMarkdown } from '../conversation/report.ts';

const measured = (limit: number, ...rounds: number[]): Figure => ({ ...figure('a turn', limit), rounds });

describe('a measured figure', () => {
  it('reaches its target when the median of the rounds is within the limit', () => {
    expect(isReached(measured(100, 90, 100, 900))).toBe(true);
    expect(isReached(measured(100, 101, 1, 900))).toBe(false);
    expect(isReached(measured(100))).toBeUndefined();
    expect(isReached(measured(0, 0, 0, 0))).toBe(true);
  });

  it('is shown in the table with its median, minimum and maximum', () => {
    const text = conversationMarkdown({
      date: '2026-01-02',
      extent: { rounds: 3, turns: 40, seconds: 10 },
      figures: [measured(100, 90, 80, 120.4), measured(100, 300, 200, 400), measured(5)],
    });
    expect(text).toContain('3 rounds, of 40 turns and 10 s each');
    expect(text).toContain('| a turn | ≤ 100 ms | 90 ms | 80 ms | 120 ms | yes |\n');
    expect(text).toContain('| a turn | ≤ 100 ms | 300 ms | 200 ms | 400 ms | **no** |\n');
    expect(text).toContain('| a turn | ≤ 5 ms | – | – | – | not measured here |\n');
  });

  it('is drawn as a bar with a line from its minimum to its maximum', () => {
    const picture = plotConversation([measured(100, 50, 25, 100), measured(100, 900), measured(5)]);
    // The limit is in the middle of the chart; bars are clipped at twice the limit.
    expect(picture).toContain('width="105.0"');
    expect(picture).toContain('x1="482.5" y1="49" x2="640.0"');
    expect(picture).toContain('width="420.0"');
    expect(picture).toContain('>not measured here<');
    expect(picture).not.toContain('NaN');
  });
});
