/**
 * Returns a function that runs `work`, at most once per `pauseMs` and never twice at the same time. Calls in between cause one further run.
 * `work` must not reject. After `stop`, it does not run any more.
 */
export function coalesced(work: () => Promise<void>, pauseMs: number): { call(): void; stop(): void } {
  let state: 'idle' | 'waiting' | 'running' = 'idle';
  let isCalledAgain = false;
  let isStopped = false;
  let began = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async () => {
    state = 'running';
    began = performance.now();
    await work();
    state = 'idle';
    if (isCalledAgain) call();
  };
  const call = () => {
    isCalledAgain = state === 'running';
    if (state !== 'idle' || isStopped) return;
    state = 'waiting';
    timer = setTimeout(() => void run(), began + pauseMs - performance.now());
  };
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  return { call, stop };
}
