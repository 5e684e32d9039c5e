import { performance } from 'node:perf_hooks';
import { hostileTexts } from './texts.ts';

/** Lengths that are compared. The protocol allows 4,000 characters in a text. */
const [short, long] = [4000, 8000];

/** Work on twice the text may take this many times as long: 2 is linear, 4 is quadratic. */
const most = 3;
/** Milliseconds of noise that do not count. */
const noise = 1.5;
const fewestRounds = 3;
const mostRounds = 40;

/**
 * Returns the best times of `work` on a text and on one twice as long, in milliseconds. The best of several rounds is compared, and
 * further rounds are run while the growth is above the limit, so that a busy machine does not look like slow code.
 */
function growth(work: (text: string) => unknown, text: (length: number) => string) {
  const [one, two] = [text(short), text(long)];
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isLinear = () => longMs <= most * shortMs + noise;
  for (let round = 0; round < fewestRounds || (!isLinear() && round < mostRounds); round++) {
    shortMs = Math.min(shortMs, timed(work, one));
    longMs = Math.min(longMs, timed(work, two));
    // Slow code is slow each time: the first rounds are enough.
    if (round >= fewestRounds && longMs > 1000) break;
  }
  return { shortMs, longMs, isLinear: isLinear() };
}

/** Runs `work` on every hostile text and returns those on which its time grows faster than their length, with the times. */
export function slowTexts(work: (text: string) => unknown): string[] {
  return Object.entries(hostileTexts).flatMap(([name, text]) => {
    const { shortMs, longMs, isLinear } = growth(work, text);
    return isLinear ? [] : [`${name}: ${shortMs.toFixed(1)} ms, then ${longMs.toFixed(1)} ms`];
  });
}

function timed(work: (text: string) => unknown, text: string): number {
  const start = performance.now();
  work(text);
  return performance.now() - start;
}
