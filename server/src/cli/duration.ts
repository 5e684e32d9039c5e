const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;
const furthestYears = 100;

export const expiryForms = '30s, 15m, 12h, 90d, P90D, PT12H or 2030-01-31T12:00:00Z';

/** Parses the value of `--expires`; durations count from `now`. Throws a RangeError with a message for the user. */
export function parseExpiry(text: string, now: Date): Date {
  const at = shortDuration(text, now) ?? isoDuration(text, now) ?? isoInstant(text);
  if (at === undefined) throw new RangeError(`it must be ${expiryForms}`);
  // A time beyond the range of Date is NaN.
  if (Number.isNaN(at.getTime()) || at > addMonths(now, furthestYears * 12)) {
    throw new RangeError(`it must be within ${furthestYears} years`);
  }
  if (at <= now) throw new RangeError('it must be in the future');
  return at;
}

function shortDuration(text: string, now: Date): Date | undefined {
  const match = /^(\d+)([smhd])$/.exec(text);
  if (!match) return undefined;
  const unit = { s: second, m: minute, h: hour, d: day }[match[2] as 's' | 'm' | 'h' | 'd'];
  return new Date(now.getTime() + Number(match[1]) * unit);
}

const number = '(\\d+(?:[.,]\\d+)?)';
const isoPattern = new RegExp(
  `^P(?=.)(?:${number}Y)?(?:${number}M)?(?:${number}W)?(?:${number}D)?(?:T(?=.)(?:${number}H)?(?:${number}M)?(?:${number}S)?)?$`,
);

function isoDuration(text: string, now: Date): Date | undefined {
  const parts = isoPattern.exec(text)?.slice(1);
  if (!parts) return undefined;
  // ISO 8601 allows a fraction on the smallest part only; a fraction of a year or month has no exact length.
  const given = parts.flatMap((part, index) => (part === undefined ? [] : [{ part, index }]));
  const fraction = given.findIndex(({ part }) => /[.,]/.test(part));
  if (fraction !== -1 && (fraction !== given.length - 1 || given[fraction]!.index < 2)) return undefined;
  const [years, months, weeks, days, hours, minutes, seconds] = parts.map((part) =>
    Number((part ?? '0').replace(',', '.')),
  ) as [number, number, number, number, number, number, number];
  const start = addMonths(now, years * 12 + months);
  const rest = weeks * week + days * day + hours * hour + minutes * minute + seconds * second;
  return new Date(start.getTime() + rest);
}

/** Adds calendar months in UTC; a day past the end of the month becomes its last day. */
function addMonths(from: Date, months: number): Date {
  const at = new Date(from);
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return at;
}

/** Parses a date (midnight UTC), or a date and time with an offset. */
function isoInstant(text: string): Date | undefined {
  const match =
    /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  if (!match) return undefined;
  const [year, month, dayOfMonth] = match.slice(1).map(Number) as [number, number, number];
  // Date.parse turns February 30 into March 2.
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const at = new Date(text);
  return month <= 12 && dayOfMonth <= daysInMonth && !Number.isNaN(at.getTime()) ? at : undefined;
}
