/** FAULTS_LONG=1 asks for the long form: more rounds and longer load. */
export const isLong = process.env.FAULTS_LONG === '1';

/** How much of something the short and the long form do. */
export function effort(short: number, long: number): number {
  return isLong ? long : short;
}
