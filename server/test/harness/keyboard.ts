import type { Locator, Page } from 'playwright-core';

type Direction = 'Tab' | 'Shift+Tab';

/** Uses a page by keyboard alone. */
export function keyboardOf(page: () => Page) {
  /** Presses Tab, or Shift+Tab to go back, until an element has the focus. */
  async function reach(target: Locator, key: Direction = 'Tab'): Promise<void> {
    await target.waitFor();
    for (let presses = 0; presses < 200; presses++) {
      if ((await target.and(page().locator(':focus')).count()) === 1) return;
      await page().keyboard.press(key);
    }
    throw new Error(`${target} cannot be reached with ${key}`);
  }
  return {
    reach,
    press: async (target: Locator, key?: Direction) => {
      await reach(target, key);
      await page().keyboard.press('Enter');
    },
  };
}
