/** Enter, pressed once more, must not delete anything. */
const focusable = 'button:not(:disabled, .danger), a[href]';
const textField = 'textarea, input:not([type=checkbox], [type=radio], [type=file])';

/**
 * Keeps the focus near its place when the focused element is removed or disabled, such as a button that has nothing left to do: the browser
 * would move it to the start of the page. From a text field, it moves to the heading of the part: keys that are still typed must not press
 * a button. Parts that know a better place focus that one first.
 */
export function keepFocus(): void {
  /** The last focused element and those around it, from the inside out. */
  let place: Element[] = [];
  /** The content of the page at that time. The sign-in page has none. */
  let main: HTMLElement | null = null;
  let isChecking = false;
  addEventListener('focusin', (event) => {
    place = event.composedPath().filter((one) => one instanceof Element);
    main = document.getElementById('main');
  });
  // A click beside all controls removes the focus on purpose.
  addEventListener('pointerdown', () => {
    place = [];
  });
  const check = () => {
    isChecking = false;
    const [last] = place;
    const { activeElement } = document;
    if (last === undefined || (activeElement !== null && activeElement !== document.body)) return;
    if (last.isConnected && !last.matches(':disabled')) return;
    if (document.querySelector('dialog:modal') !== null) return;
    // After a sign-in, the whole page is another one.
    if (main === null || !main.isConnected) return;
    const wanted = last.matches(textField) ? 'h1, h2, h3' : focusable;
    // The elements around `main` contain the whole page.
    const around = place.slice(1).filter((one) => one.isConnected && !one.contains(main));
    for (const near of [...around.map((one) => one.querySelector<HTMLElement>(wanted)), main]) {
      if (near === null) continue;
      if (near.matches('h1, h2, h3')) near.tabIndex = -1;
      near.focus({ preventScroll: true });
      if (document.activeElement === near) return;
    }
  };
  new MutationObserver(() => {
    if (isChecking || place.length === 0) return;
    isChecking = true;
    // After effects, dialogs and toasts, which move the focus within a frame.
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(check)));
  }).observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
}
