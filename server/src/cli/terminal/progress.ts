import type { Io } from './io.ts';

/** Prints the elapsed seconds while work is pending, if standard error is a terminal. */
export async function showProgress<T>(io: Io, what: string | (() => string), work: Promise<T>): Promise<T> {
  if (io.stderr.isTTY !== true) return work;
  let seconds = 0;
  const text = () => (typeof what === 'string' ? what : what());
  const timer = setInterval(() => io.stderr.write(`\r${text()}… ${++seconds} s`), 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (seconds > 0) io.stderr.write('\r\u001b[K');
  }
}
