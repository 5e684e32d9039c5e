/** TEST_LONG=1 asks for the long form (`npm run test:long`): more rounds, more generated input, longer load. */
export const isLong = process.env.TEST_LONG === '1';

/** How much of something the short and the long form do. */
export function effort(short: number, long: number): number {
  return isLong ? long : short;
}
