import { signal } from '@preact/signals';
import { texts } from '../texts/texts.ts';

/** Changes every half minute, so that relative times stay true. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 30_000);

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** How long ago a time was, or how long it will take. */
function relativeTime(at: number, from: number): string {
  const seconds = (at - from) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return seconds > 0 ? texts.soon : texts.justNow;
}

/** A relative time; the exact one is shown on hover. */
export function Time({ at }: { at: string | undefined }) {
  if (at === undefined) return <span class="soft">{texts.never}</span>;
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {relativeTime(Date.parse(at), Math.max(now.value, Date.now()))}
    </time>
  );
}

export function seconds(count: number): string {
  const minutes = Math.floor(count / 60);
  const rest = String(count % 60).padStart(2, '0');
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}
