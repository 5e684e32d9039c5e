// Validation of untrusted values. No check throws.

// biome-ignore lint/suspicious/noExplicitAny: checks look into values of any type
export type Check = (value: any) => boolean;
/** A check, an object of shapes per field (other fields are ignored), or an array whose items have one shape. */
export type Shape = Check | { [field: string]: Shape } | [item: Shape];

// biome-ignore lint/suspicious/noExplicitAny: see above
export function fits(value: any, shape: Shape): boolean {
  if (typeof shape === 'function') return shape(value);
  return Array.isArray(shape)
    ? Array.isArray(value) && value.every((item) => fits(item, shape[0]))
    : value instanceof Object && Object.entries(shape).every(([field, inner]) => fits(value[field], inner));
}

export const text: Check = (value) => typeof value === 'string';
export const nonEmptyText: Check = (value) => text(value) && value !== '';

// The annotations let bundlers drop unused shapes, which are created when their module loads.

/* @__NO_SIDE_EFFECTS__ */
export function within(least: number, most: number): Check {
  return (value) => Number.isFinite(value) && value >= least && value <= most;
}

/* @__NO_SIDE_EFFECTS__ */
export function oneOf(...words: string[]): Check {
  return (value) => words.includes(value);
}

/* @__NO_SIDE_EFFECTS__ */
export function optional(shape: Shape): Check {
  return (value) => value === undefined || fits(value, shape);
}

/* @__NO_SIDE_EFFECTS__ */
export function matching(pattern: RegExp): Check {
  return (value) => text(value) && pattern.test(value);
}
