/** Milliseconds without input after which the requests of a page count as sent in the background. */
const unattendedMs = 60_000;

let lastInput = performance.now();

/** Whether the page has had no user input for `unattendedMs`. */
export function isUnattended(): boolean {
  return performance.now() - lastInput > unattendedMs;
}

/** Call it once: notes each use of the page by pointer or keyboard. */
export function noteInput(): void {
  for (const type of ['pointerdown', 'pointermove', 'wheel', 'keydown'])
    addEventListener(
      type,
      () => {
        lastInput = performance.now();
      },
      { capture: true, passive: true },
    );
}
