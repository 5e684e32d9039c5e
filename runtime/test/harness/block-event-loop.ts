/** Blocks this thread, and with it the event loop of client and runtime. The kernel still delivers what was written to sockets. */
export function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
