import type { Page } from 'playwright-core';

/** A focused element: its role and name in the accessibility tree, and whether the focus is visible. */
export interface Stop {
  control: string;
  isVisible: boolean;
}

const longestWalk = 60;

/** Descends into shadow roots. `window.stop` holds the element and its appearance while focused. */
const focused = `(() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const look = () => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
    return [outlineStyle, outlineWidth, outlineColor, boxShadow].join();
  };
  window.stop = { look, whileFocused: look() };
  return element;
})()`;
/** Evaluated for the previous element after it has lost the focus. */
const looksDifferent = 'stop.look() !== stop.whileFocused';

/** Role and name of the focused element in the accessibility tree. */
export async function focusedControl(page: Page): Promise<string> {
  const line = await page.context().newCDPSession(page);
  try {
    const { result } = await line.send('Runtime.evaluate', { expression: focused });
    const { nodes } = await line.send('Accessibility.getPartialAXTree', {
      objectId: result.objectId!,
      fetchRelatives: false,
    });
    const [node] = nodes;
    return `${node?.role?.value} ${node?.name?.value ?? ''}`.trim();
  } finally {
    await line.detach();
  }
}

/** Presses `key` until `last` is focused; `last` is not part of the result. */
export async function walk(page: Page, key: 'Tab' | 'Shift+Tab', last: string): Promise<Stop[]> {
  const stops: Stop[] = [];
  await focusedControl(page);
  for (;;) {
    await page.keyboard.press(key);
    const isVisible = (await page.evaluate(looksDifferent)) as boolean;
    const before = stops.at(-1);
    if (before) before.isVisible = isVisible;
    const control = await focusedControl(page);
    if (control === last) return stops;
    stops.push({ control, isVisible: false });
    if (stops.length > longestWalk)
      throw new Error(`${key} does not reach ${last}: ${stops.map((stop) => stop.control).join(', ')}`);
  }
}
