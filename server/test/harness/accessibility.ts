import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { isLong } from './effort.ts';

const screens = [
  { width: 1280, height: 800, colorScheme: 'light' as const, isAlways: true },
  { width: 390, height: 844, colorScheme: 'dark' as const, isAlways: true },
  { width: 1280, height: 800, colorScheme: 'dark' as const, isAlways: false },
  { width: 390, height: 844, colorScheme: 'light' as const, isAlways: false },
];

const isOnce = process.env.TEST_AXE === 'once';
/** The screens that axe has checked, by title and selector. With TEST_AXE=once, it checks each screen once per worker. */
const checked = new Set<string>();

/** Lists accessibility violations and overflowing elements of a player, on desktop and phone viewports, in light and dark mode. */
export async function accessibilityProblems(page: Page, place = 'session-experience'): Promise<string[]> {
  const found: string[] = [];
  const before = page.viewportSize();
  const screen = `${await page.title()} ${place}`;
  const isKnown = isOnce && checked.has(screen);
  checked.add(screen);
  for (const { width, height, colorScheme, isAlways } of screens) {
    if (!isAlways && !isLong) continue;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    const report = (text: string) => found.push(`${width} ${colorScheme}: ${text}`);
    for (const { id, nodes } of isKnown ? [] : await violations(page, place))
      for (const { html } of nodes) report(`${id}: ${html}`);
    if (await page.evaluate(`document.documentElement.scrollWidth > innerWidth`))
      report('wider than the screen');
  }
  await page.emulateMedia({ colorScheme: null });
  if (before !== null) await page.setViewportSize(before);
  return found;
}

/** Omits passed checks, which would list every element of the page. */
const wanted = { resultTypes: ['violations' as const] };

type Violations = Awaited<ReturnType<AxeBuilder['analyze']>>['violations'];

async function violations(page: Page, place: string): Promise<Violations> {
  // Axe stays loaded in the page after the first use.
  const isThere = await page.evaluate(`'axe' in window`);
  const results = isThere
    ? await page.evaluate<{ violations: Violations }>(
        `axe.run(${JSON.stringify(place)}, ${JSON.stringify(wanted)})`,
      )
    : await new AxeBuilder({ page }).setLegacyMode().options(wanted).include(place).analyze();
  return results.violations;
}
