// Checks of values that come from elsewhere. None of them throws.

// biome-ignore lint/suspicious/noExplicitAny: checks look into values of any type
export type Check = (value: any) => boolean;

export const text: Check = (value) => typeof value === 'string';
export const within =
  (least: number, most: number): Check =>
  (value) =>
    Number.isFinite(value) && value >= least && value <= most;
export const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value);
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
export const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
/** An object whose fields pass their checks, or an array whose items do. Other fields are ignored. */
export const shape = (fields: Record<string, Check> | Check[]): Check => {
  const checks = Object.entries(fields);
  return (value) => value instanceof Object && checks.every(([name, check]) => check(value[name]));
};
