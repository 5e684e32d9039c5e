/** Calls code of the page or of a plug-in. An exception is reported to the page's `error` event, and the SDK continues. */
export function callSafely(work: () => void): void {
  try {
    work();
  } catch (error) {
    reportError(error);
  }
}
