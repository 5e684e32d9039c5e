import { hostileTexts } from './texts.ts';

/**
 * Text lengths in characters. The CPU times of the first and the last are compared. The protocol allows 4,000 characters in a text, and
 * work on that length also compiles the code before it is measured.
 */
const lengths = [1000, 4000, 8000] as const;
/**
 * Growth above the limit must also occur with texts longer by this factor, where effects of V8 such as buffer thresholds and garbage
 * collection matter less.
 */
const confirmedBy = 4;

/** Maximum ratio of the times for eight times the length: 8 is linear, 64 is quadratic. */
const most = 20;
/** Tolerated noise in milliseconds. */
const noise = 1.5;
/** Measurements of the short text per round. Its time is the minimum, since other processes and the compiler only ever add to it. */
const shortRuns = 3;
const maxRounds = 10;
/** Times above this many milliseconds in each of `fewRounds` rounds are not noise: no more rounds are run. */
const hopeless = 300;
const fewRounds = 3;

/** Runs `work` on every hostile text and returns those on which its time grows faster than their length, with the times. */
export function slowTexts(work: (text: string) => unknown): string[] {
  return Object.entries(hostileTexts).flatMap(([name, text]) => {
    const { shortMs, longMs, isLinear } = growth(work, text, 1);
    if (isLinear || growth(work, text, confirmedBy).isLinear) return [];
    return [`${name}: ${shortMs.toFixed(2)} ms, then ${longMs.toFixed(1)} ms`];
  });
}

/** The minimum CPU times of `work` on a short and a long text, in milliseconds. More rounds are run while the growth is above the limit. */
function growth(work: (text: string) => unknown, text: (length: number) => string, factor: number) {
  const [short, usual, long] = lengths.map((length) => text(factor * length)) as [string, string, string];
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isLinear = () => longMs <= most * shortMs + noise;
  work(usual);
  for (let round = 0; round === 0 || (!isLinear() && round < maxRounds); round++) {
    // The long text first: if it still ran uncompiled code, further rounds follow, while an uncompiled short run would hide growth.
    longMs = Math.min(longMs, cpuTime(work, long));
    for (let run = 0; run < shortRuns; run++) shortMs = Math.min(shortMs, cpuTime(work, short));
    if (longMs > hopeless && round >= fewRounds) break;
  }
  return { shortMs, longMs, isLinear: isLinear() };
}

function cpuTime(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  work(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
