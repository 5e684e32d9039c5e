import { hostileTexts } from './texts.ts';

/** Lengths that are compared. The protocol allows 4,000 characters in a text. */
const [short, long] = [4000, 8000];

/** Work on twice the text may take this many times as long: 2 is linear, 4 is quadratic. */
const most = 3;
/** Milliseconds of noise that do not count. */
const noise = 1.5;
const mostRounds = 20;
/** Milliseconds that are too slow to be noise in each of a few rounds. */
const hopeless = 1000;
const fewRounds = 3;

/** Runs `work` on every hostile text and returns those on which its time grows faster than their length, with the times. */
export function slowTexts(work: (text: string) => unknown): string[] {
  return Object.entries(hostileTexts).flatMap(([name, text]) => {
    const { shortMs, longMs, isLinear } = growth(work, text);
    return isLinear ? [] : [`${name}: ${shortMs.toFixed(1)} ms, then ${longMs.toFixed(1)} ms`];
  });
}

/**
 * The best CPU times of `work` on a text and on one twice as long, in milliseconds. More rounds are run while the growth is above the
 * limit: other processes and the compiler only ever add to a time.
 */
function growth(work: (text: string) => unknown, text: (length: number) => string) {
  const [one, two] = [text(short), text(long)];
  let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isLinear = () => longMs <= most * shortMs + noise;
  // The first call also compiles.
  work(one);
  for (let round = 0; round === 0 || (!isLinear() && round < mostRounds); round++) {
    shortMs = Math.min(shortMs, cpuTime(work, one));
    longMs = Math.min(longMs, cpuTime(work, two));
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
