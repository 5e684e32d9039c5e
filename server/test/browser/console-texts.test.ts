import { useBrowser } from '@session-launch/testing/browser.ts';
import { createWorld, runtime, type World } from '@session-launch/testing/world.ts';
import type { BrowserContext, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { type ConsoleTab, inspect, openConsole } from '../harness/console.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const browser = useBrowser();
let context: BrowserContext;
let tab: ConsoleTab;
let world: World;

beforeAll(async () => {
  world = await createWorld(service, {
    experience: {
      title: 'Harbor',
      runtime: runtime({
        transport: { type: 'websocket' },
        mind: {
          persona: 'You are Maren.',
          greeting: { en: ['Hello', 'Good morning'] },
          fallback: { en: 'Pardon?' },
        },
      }),
    },
  });
  context = await browser.open({ viewport: { width: 1280, height: 800 } });
  tab = await openConsole(context, service);
});
afterAll(() => context?.close());

/** Replaces the text of a field as a paste does: `maxlength` would cut it. */
async function paste(field: Locator, text: string): Promise<void> {
  await field.selectText();
  await tab.page.keyboard.insertText(text);
}

/** The texts that describe a field, which screen readers read with it. */
const described = (field: Locator) =>
  field.evaluate((one) => {
    const { getAttribute, ownerDocument } = one as unknown as {
      getAttribute(name: string): string | null;
      ownerDocument: { getElementById(id: string): { textContent: string } | null };
    };
    const ids = getAttribute.call(one, 'aria-describedby') ?? '';
    return ids.split(' ').map((id) => ownerDocument.getElementById(id)?.textContent ?? '');
  });

const keysOf = async () =>
  (
    await askAdmin(service, 'GET /admin/projects/{projectId}/keys', {
      params: { projectId: world.projectId },
    })
  ).keys as { name?: string }[];

test('a pasted text that is too long is kept, says by how much, and is not sent', async () => {
  const { page, button, field, dialog } = tab;
  await tab.show(`/${world.projectId}/keys`);
  await button('Create key').click();
  const name = field('Name');
  const create = dialog('Create key').getByRole('button', { name: 'Create key' });
  await paste(name, 'n'.repeat(179));
  await expect.poll(() => page.getByText('of 200 characters').count()).toBe(0);
  await paste(name, 'n'.repeat(180));
  await page.getByText('180 of 200 characters').waitFor();
  await paste(name, 'n'.repeat(212));
  const problem = '12 characters too long. At most 200 are allowed.';
  await page.locator('.problem', { hasText: problem }).waitFor();
  await page.getByRole('status').filter({ hasText: problem }).waitFor({ state: 'attached' });
  expect((await name.inputValue()).length).toBe(212);
  await expect
    .poll(async () => [await name.getAttribute('aria-invalid'), await described(name)])
    .toEqual(['true', expect.arrayContaining([problem])]);
  await inspect(page, 'text-too-long');
  const before = await keysOf();
  await create.press('Enter');
  await expect.poll(() => name.evaluate('document.activeElement.localName')).toBe('input');
  await expect.poll(() => keysOf()).toEqual(before);
  // The service counts these characters as one each, and the browser as two.
  const waves = '👋'.repeat(201);
  await paste(name, waves);
  await page.locator('.problem', { hasText: '1 character too long. At most 200 are allowed.' }).waitFor();
  await page.keyboard.press('Backspace');
  await page.getByText('200 of 200 characters').waitFor();
  await create.press('Enter');
  await dialog('Your new key').waitFor();
  expect((await keysOf()).map((key) => key.name)).toContain(waves.slice(2));
  await button('Close').click();
  await button('Close without copying').click();
});

test('in the editor, a text that is too long is kept, refused at its field, and saved once it fits', async () => {
  const { page, button, field } = tab;
  const path = `/admin/experiences/${world.experienceId}`;
  const title = async () => (await service.admin({ path })).json.experience.title;
  await tab.show(`/${world.projectId}/experiences/${world.experienceId}/setup`);
  await paste(field('Title'), 't'.repeat(205));
  const problem = '5 characters too long. At most 200 are allowed.';
  await page.getByText(problem).first().waitFor();
  await button('Save draft').click();
  await page.getByRole('heading', { name: '1 problem', exact: false }).waitFor();
  await expect.poll(() => title()).toBe('Harbor');
  await inspect(page, 'editor-too-long');
  await page.getByRole('link', { name: 'title', exact: false }).first().click();
  await expect.poll(() => field('Title').evaluate('document.activeElement.value.length')).toBe(205);
  await page.keyboard.press('End');
  for (let n = 0; n < 5; n++) await page.keyboard.press('Backspace');
  await page.getByText('200 of 200 characters').waitFor();
  await button('Save draft').click();
  await expect.poll(title).toBe('t'.repeat(200));

  await tab.show(`/${world.projectId}/experiences/${world.experienceId}/mind`);
  const second = page.getByRole('textbox', { name: /2$/ }).first();
  await paste(second, 'g'.repeat(4_100));
  await page.getByText('100 characters too long. At most 4,000 are allowed.').first().waitFor();
  await expect.poll(() => described(second)).toContain('100 characters too long. At most 4,000 are allowed.');
  await inspect(page, 'variant-too-long');
  await paste(second, 'Good evening');
  const single = page.locator('.texts[data-path*="fallback"]');
  await paste(single.locator('textarea'), 'g'.repeat(4_100));
  // The service has checked the document.
  await page.getByRole('link', { name: 'fallback' }).first().waitFor();
  await expect
    .poll(() => single.locator('.problem').allInnerTexts())
    .toEqual(['100 characters too long. At most 4,000 are allowed.']);
  await paste(single.locator('textarea'), 'Pardon?');

  await tab.show(`/${world.projectId}/experiences/${world.experienceId}/gallery`);
  const useCase = field('Add a use case');
  await paste(useCase, 'u'.repeat(70));
  await page.keyboard.press('Enter');
  await page.getByText('6 characters too long. At most 64 are allowed.').first().waitFor();
  expect((await useCase.inputValue()).length).toBe(70);
  await inspect(page, 'use-case-too-long');
  await paste(useCase, 'fishing');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove fishing' }).waitFor();
});

test('a note that is too long is refused before publishing, and stays', async () => {
  const { page, button, dialog } = tab;
  await button('Review and publish').click();
  const review = dialog('Review and publish');
  const note = review.getByRole('textbox');
  await paste(note, 'w'.repeat(503));
  await review.getByText('3 characters too long. At most 500 are allowed.').first().waitFor();
  await review.getByRole('button', { name: 'Publish', exact: true }).press('Enter');
  await expect.poll(() => note.evaluate('document.activeElement.value.length')).toBe(503);
  await inspect(page, 'note-too-long');
  await paste(note, 'w'.repeat(500));
  await review.getByRole('button', { name: 'Publish', exact: true }).press('Enter');
  await review.waitFor({ state: 'detached' });
  const json = await askAdmin(service, 'GET /admin/experiences/{experienceId}/revisions', {
    params: { experienceId: world.experienceId },
  });
  expect(json.revisions[0]?.note).toBe('w'.repeat(500));
});
