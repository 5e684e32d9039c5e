/** Milliseconds after which a timer that found too little work looks again. */
const lookAgainMs = 250;

/**
 * Calls `onOverdue` after `ms`, provided that this process has used half of that time of a processor since; otherwise as soon as it has, or
 * after `maxMs`. A statement that waits for the disk, or for a processor of a busy machine, would not be faster in another thread. The time
 * of all threads counts, because Node.js 20 cannot measure the CPU time of one: while the rest of the process is busy, `ms` applies to such a
 * statement too. Returns a function that stops the timer.
 */
export function startWorkTimer(ms: number, maxMs: number, onOverdue: () => void): () => void {
  const begun = performance.now();
  const used = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(used);
    if ((user + system) / 1000 >= ms / 2 || performance.now() - begun >= maxMs) onOverdue();
    else timer = setTimeout(look, lookAgainMs).unref();
  };
  let timer = setTimeout(look, ms).unref();
  return () => clearTimeout(timer);
}
