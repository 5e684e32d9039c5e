import { useBrowser } from '@session-launch/testing/browser.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleTab, keepToasts, openConsole } from '../harness/console.ts';
import { createOperator } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
let tab: ConsoleTab;

/** Two full pages and a part of the third, besides the login of the console. */
const stored = 249;

beforeAll(async () => {
  const { operatorId } = await createOperator(service, { name: 'Ada', role: 'viewer' });
  // The ids sort before that of the console, whose login is the newest. The last one is the oldest.
  const text = `
    INSERT INTO logins (id, hash, operator_id, via, created_at, last_seen_at, expires_at, address, agent)
    SELECT 'lgn_' || lpad((1000 - n)::text, 26, '0'), sha256(n::text::bytea), $1, 'console', now(), now(),
           now() + interval '12 hours', '127.0.0.1', 'Client ' || n
      FROM generate_series(1, $2::integer) AS n`;
  await service.database.query('admin', { text }, [operatorId, stored]);
  const context = await browser.open({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(keepToasts);
  tab = await openConsole(context, service);
});
afterAll(() => tab?.page.context().close());

test('the list of logins has pages, and keeps those that are shown when a login ends', async () => {
  const { page, button } = tab;
  const table = page.getByRole('table', { name: 'Browsers that are signed in' });
  const names = () => table.locator('tbody th').allInnerTexts();
  const shown = (count: number) => expect.poll(async () => (await names()).length).toBe(count);
  await tab.show('/team');
  await shown(100);
  expect((await names()).slice(1, 3)).toEqual(['Client 1', 'Client 2']);
  await button('Show more').click();
  await shown(200);
  await expect.poll(() => page.locator(':focus').innerText()).toBe('Show more');
  await button('Show more').click();
  await shown(stored + 1);
  expect((await names()).at(-1)).toBe(`Client ${stored}`);
  await expect.poll(() => button('Show more').count()).toBe(0);

  const last = table.getByRole('row').last();
  await last.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('The browser is signed out.').waitFor();
  await shown(stored);
  expect(await names()).not.toContain(`Client ${stored}`);
  expect(tab.complaints).toEqual([]);
});
