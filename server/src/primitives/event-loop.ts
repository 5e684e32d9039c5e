let ended: Promise<void> | undefined;

/** Resolves after the event loop has processed all input that has already arrived. All callers of a tick share one `setImmediate`. */
export function endOfTick(): Promise<void> {
  ended ??= new Promise((resolve) => {
    setImmediate(() => {
      ended = undefined;
      resolve();
    });
  });
  return ended;
}
