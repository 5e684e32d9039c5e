import { hostileTexts } from './texts.ts';

/** Text length in characters whose time is compared with that of twice the length. The protocol allows 4,000 characters in a text. */
const length = 4000;
/**
 * Growth above the limit at `length` must also occur at this length, where effects of V8 such as buffer thresholds and garbage collection
 * matter less.
 */
const longLength = 16_000;

/** Maximum ratio of the times for twice the length: 2 is linear, 4 is quadratic. */
const most = 3;
/** Tolerated noise in milliseconds. */
const noise = 1.5;
const maxRounds = 10;
/** Times above this many milliseconds in each of `fewRounds` rounds are not noise: no more rounds are run. */
const hopeless = 1000;
const fewRounds = 3;

/** Runs `work` on every hostile text and returns those on which its time grows faster than their length, with the times. */
export function slowTexts(work: (text: string) => unknown): string[] {
  return Object.entries(hostileTexts).flatMap(([name, text]) => {
    const { shortMs, longMs, isLinear } = growth(work, text, length);
    if (isLinear || growth(work, text, longLength).isLinear) return [];
    return [`${name}: ${shortMs.toFixed(1)} ms, then ${longMs.toFixed(1)} ms`];
  });
}

/**
 * The best CPU times of `work` on a text and on one twice as long, in milliseconds. More rounds are run while the growth is above the
 * limit: other processes and the compiler only ever add to a time.
 */
function growth(work: (text: string) => unknown, text: (length: number) => string, short: number) {
  const [one, two] = [text(short), text(2 * short)];
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isLinear = () => longMs <= most * shortMs + noise;
  // The first call also compiles.
  work(one);
  for (let round = 0; round === 0 || (!isLinear() && round < maxRounds); round++) {
    // Twice the short text: as many characters, so that garbage collection weighs the same in both times.
    shortMs = Math.min(shortMs, cpuTime(work, [one, one]) / 2);
    longMs = Math.min(longMs, cpuTime(work, [two]));
    if (longMs > hopeless && round >= fewRounds) break;
  }
  return { shortMs, longMs, isLinear: isLinear() };
}

function cpuTime(work: (text: string) => unknown, texts: string[]): number {
  const before = process.cpuUsage();
  for (const text of texts) work(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
