/** Moves a value exponentially towards a target. Times are in seconds; after one time constant, 63 % of the way is done. */
export function approach(value: number, target: number, elapsed: number, timeConstant: number): number {
  return value + (target - value) * (1 - Math.exp(-elapsed / timeConstant));
}
