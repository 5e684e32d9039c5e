/** TEST_LONG=1 selects the long tests (`npm run test:long`): more rounds, more generated input, longer load. */
export const isLong = process.env.TEST_LONG === '1';

/** Chooses between the amount for the short tests and the one for the long tests. */
export function effort(short: number, long: number): number {
  return isLong ? long : short;
}
