let ended: Promise<void> | undefined;

/** Resolves when the event loop has heard everything that has arrived by now. Costs one timer for all who wait. */
export function endOfTurn(): Promise<void> {
  ended ??= new Promise((resolve) => {
    setImmediate(() => {
      ended = undefined;
      resolve();
    });
  });
  return ended;
}
