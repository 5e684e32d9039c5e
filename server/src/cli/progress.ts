import type { Io } from './io.ts';

/** Tells a person at a terminal every second that work goes on; a log or a pipe hears nothing of it. */
export async function showProgress<T>(io: Io, what: string, work: Promise<T>): Promise<T> {
  if (io.stderr.isTTY !== true) return work;
  let seconds = 0;
  const timer = setInterval(() => io.stderr.write(`\r${what}… ${++seconds} s`), 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (seconds > 0) io.stderr.write('\r\u001b[K');
  }
}
