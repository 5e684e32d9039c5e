import { webhookCommands, webhookSnippets } from '@session-launch/contract/snippets';
import { useBrowser } from '@session-launch/testing/browser.ts';
import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ConsoleTab, inspect, keepToasts, keptSecrets, openConsole } from '../harness/console.ts';
import { createOperator } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';
import { focusedControl, walk } from '../harness/tab-walk.ts';
import { answerWith, createWebhook, type Receiver, startReceiver } from '../harness/webhook-receiver.ts';

const service = useService();
const browser = useBrowser();
let context: BrowserContext;
let tab: ConsoleTab;
let world: World;
let receiver: Receiver;

beforeAll(async () => {
  context = await browser.open({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await context.addInitScript(keepToasts);
  tab = await openConsole(context, service);
});
afterAll(() => context?.close());
beforeEach(async () => {
  world = await createWorld(service);
  receiver = await startReceiver(answerWith(200, {}, 'thank you'));
});
afterEach(async () => {
  await receiver.close();
  // The browser reports refused requests, too, and that a deleted webhook was read again.
  expect(tab.complaints.splice(0).filter((one) => !/\b40[04]\b/.test(one))).toEqual([]);
});

const mint = async () => {
  const { session } = (
    await mintFromServer(service, world.key, { experienceId: world.experienceId, userId: 'learner-7' })
  ).json;
  return session.sessionId as string;
};
const webhooksOf = async () =>
  (await service.admin({ path: `/admin/projects/${world.projectId}/webhooks` })).json.webhooks;
const clipboard = () => tab.page.evaluate<string>('navigator.clipboard.readText()');
const secretPattern = /whsec_[\w+/=]{44}/;

test('creates a webhook, shows its secret once, tests it, and shows what arrived', async () => {
  const { page, button, field, dialog } = tab;
  await tab.show(`/${world.projectId}/webhooks`);
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  await inspect(page, 'webhooks-empty');
  await button('Create webhook').first().click();
  const create = dialog('Create webhook');
  const send = create.getByRole('button', { name: 'Create webhook' });

  // What is wrong is said at its field, and nothing is created.
  await field('URL').fill('http://shop.example/webhooks');
  await field('Name').fill('billing');
  await send.click();
  await create.getByText('Choose at least one event.').waitFor();
  await create.getByRole('checkbox', { name: 'session.created' }).check();
  await create.getByRole('checkbox', { name: 'session.ended' }).check();
  await send.click();
  await expect.poll(() => field('URL').getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => focusedControl(page)).toBe('textbox URL');
  await inspect(page, 'webhooks-problem');
  expect(await webhooksOf()).toEqual([]);

  await field('URL').fill(receiver.url);
  await send.click();
  await dialog('The secret of the webhook').waitFor();
  const [secret = ''] = secretPattern.exec(await page.locator('dialog pre').first().innerText()) ?? [];
  expect(secret).not.toBe('');
  await inspect(page, 'webhooks-secret', secret);
  await button('Done').click();
  await page.getByText('You have not copied the secret.').waitFor();
  await inspect(page, 'webhooks-not-copied', secret);
  await button('Back to the secret').click();
  await button('Copy .env line').click();
  await expect.poll(clipboard).toBe(`WEBHOOK_SECRET=${secret}`);
  for (const [language, label] of [
    ['python', 'Python'],
    ['go', 'Go'],
    ['node', 'Node.js'],
  ] as const) {
    await page.getByLabel('Receiver in').selectOption({ label });
    await page.getByText(webhookCommands[language]).waitFor();
    await button('Copy code').click();
    await expect.poll(clipboard).toBe(webhookSnippets[language]);
  }
  await button('Done').click();
  await dialog('The secret of the webhook').waitFor({ state: 'detached' });
  expect(await keptSecrets(page)).toEqual([]);

  // Another event arrives without a reload.
  await page.getByRole('link', { name: 'billing' }).click();
  await page.getByText('Nothing was sent yet.', { exact: false }).waitFor();
  const sessionId = await mint();
  await receiver.until(() => receiver.accepted().length === 1);
  await page.getByRole('rowheader', { name: 'session.created' }).waitFor();
  await button('Send test').click();
  const result = page.getByRole('status').filter({ hasText: 'Result of the test' });
  await result.getByText('Status 200').waitFor();
  await result.getByText(/in \d+ ms/).waitFor();
  await result.getByText('thank you').waitFor();
  expect(receiver.received.at(-1)?.type).toBe('webhook.test');
  await button('Show 1 new event').click();
  await page.getByRole('rowheader', { name: 'webhook.test' }).waitFor();
  await inspect(page, 'webhook-tested');

  const [first] = receiver.received;
  await button(`Details of ${first?.eventId}`).click();
  const details = dialog('session.created');
  await details.getByText('thank you').waitFor();
  await button('Copy body').click();
  expect(JSON.parse(await clipboard())).toEqual(JSON.parse(first!.body));
  await details.getByText(sessionId, { exact: false }).waitFor();
  await inspect(page, 'webhook-delivery');
  await details.getByRole('button', { name: `Send again: ${first?.eventId}` }).click();
  await receiver.until(
    () => receiver.received.filter(({ eventId }) => eventId === first?.eventId).length === 2,
  );
  await expect.poll(() => details.getByText('Status 200').count()).toBe(2);
  await details.getByRole('button', { name: 'Done' }).click();

  // A reload, and every list and record since, has no secret.
  await page.reload();
  await page.getByRole('heading', { name: 'billing', level: 1 }).waitFor();
  expect(await keptSecrets(page)).toEqual([]);
  expect(JSON.stringify(await webhooksOf())).not.toMatch(/whsec/);
  await tab.show(`/${world.projectId}/webhooks`);
  await inspect(page, 'webhooks-list');
  await tab.show(`/${world.projectId}/activity`);
  expect(await keptSecrets(page)).toEqual([]);
});

test('changes, disables, enables and deletes a webhook, and gives it a new secret', async () => {
  const { page, button, field, dialog } = tab;
  const webhook = await createWebhook(service, world.projectId, receiver);
  const route = `/${world.projectId}/webhooks/${webhook.webhookId}`;
  await tab.show(route);
  await page.getByRole('heading', { name: new URL(receiver.url).host, level: 1 }).waitFor();

  await button('Change').click();
  await field('URL').fill('ftp://shop.example');
  await button('Save').click();
  await expect.poll(() => field('URL').getAttribute('aria-invalid')).toBe('true');
  await inspect(page, 'webhook-change-problem');
  await field('URL').fill(`${receiver.url}?from=console`);
  await field('Name').fill('follow-ups');
  await dialog('Change the webhook').getByRole('checkbox', { name: 'experience.published' }).check();
  // Another operator changes another field at the same time.
  await webhook.patch({ enabled: false });
  await button('Save').click();
  await page.getByRole('heading', { name: 'follow-ups', level: 1 }).waitFor();
  expect(await webhook.get()).toMatchObject({
    url: `${receiver.url}?from=console`,
    name: 'follow-ups',
    events: ['session.created', 'session.started', 'session.ended', 'experience.published'],
    enabled: false,
    disabledReason: 'operator',
  });

  // While it is disabled, events wait.
  await page.getByText('An operator disabled this webhook.').waitFor();
  await mint();
  await page.getByRole('row').filter({ hasText: 'not sent yet' }).waitFor();
  await inspect(page, 'webhook-disabled');
  expect(receiver.received).toEqual([]);
  await button('Enable').click();
  await receiver.until(() => receiver.accepted().length === 1);
  await page.getByRole('row').filter({ hasText: 'delivered' }).filter({ hasText: 'Status 200' }).waitFor();
  await button('Disable').click();
  await inspect(page, 'webhook-disable');
  await dialog('Disable this webhook?').getByRole('button', { name: 'Disable' }).click();
  await button('Enable').click();
  await button('Disable').waitFor();

  await button('New secret').click();
  const ask = dialog('Create a new secret?');
  await ask.getByLabel('The current secret also signs for').selectOption({ label: 'an hour' });
  await inspect(page, 'webhook-new-secret');
  await ask.getByRole('button', { name: 'Create secret' }).click();
  await dialog('The secret of the webhook').waitFor();
  const [secret = ''] = secretPattern.exec(await page.locator('dialog pre').first().innerText()) ?? [];
  expect(secret).not.toBe(webhook.secret);
  await dialog('The secret of the webhook').getByRole('button', { name: 'Close' }).click();
  await button('Close without copying').click();
  await page.getByText('also signs; ends').waitFor();
  expect(await keptSecrets(page)).toEqual([]);
  const { formerSecretExpiresAt } = await webhook.get();
  expect(Math.abs(Date.parse(formerSecretExpiresAt) - Date.now() - 3_600_000)).toBeLessThan(300_000);

  await button('Delete').click();
  await inspect(page, 'webhook-delete');
  await dialog('Delete this webhook?').getByRole('button', { name: 'Cancel' }).click();
  expect(await webhooksOf()).toHaveLength(1);
  await button('Delete').click();
  await dialog('Delete this webhook?').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  expect(await webhooksOf()).toEqual([]);

  // One that another operator deletes.
  const other = await createWebhook(service, world.projectId, receiver);
  await page.getByRole('link', { name: new URL(receiver.url).host }).click();
  await button('Send test').waitFor();
  await other.remove();
  await page.getByText('No such webhook.').waitFor();
  expect(await button('Send test').count()).toBe(0);
});

test('says why deliveries fail, and that 410 has disabled the webhook', async () => {
  const { page, button } = tab;
  const markup = `<h1>Internal error</h1>${'x'.repeat(300)} <img src=x onerror=alert(1)>`;
  receiver.answer = answerWith(500, {}, markup);
  const long = `${receiver.url}/${'a-very-long-path/'.repeat(40)}?key=${'v'.repeat(200)}`;
  const webhook = await createWebhook(service, world.projectId, { url: long });
  const route = `/${world.projectId}/webhooks/${webhook.webhookId}`;
  await tab.show(route);
  const sessionId = await mint();
  await page.getByRole('heading', { name: 'Deliveries fail' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'session.created' });
  await row.filter({ hasText: 'Status 500' }).filter({ hasText: 'next' }).waitFor();
  await button('Send test').click();
  await page.getByText('The receiver must answer with a 2xx status within 15 seconds.').waitFor();
  await page.getByText(markup, { exact: false }).first().waitFor();
  await inspect(page, 'webhook-failing');
  await tab.show(`/${world.projectId}/webhooks`);
  await page.getByRole('row').filter({ hasText: 'failing' }).waitFor();
  await inspect(page, 'webhooks-failing');

  receiver.answer = answerWith(410);
  await service.call({
    method: 'POST',
    path: `/v1/sessions/${sessionId}/end`,
    headers: { Authorization: `Bearer ${world.key}` },
  });
  await page.getByText('Disabled: its receiver answered 410').waitFor();
  await inspect(page, 'webhooks-gone');
  await tab.show(route);
  await page.getByText('The receiver answered 410 Gone', { exact: false }).waitFor();
  await inspect(page, 'webhook-gone');

  // A receiver that is not there.
  await receiver.close();
  await button('Send test').click();
  await page.getByText('not delivered').waitFor();
  await inspect(page, 'webhook-unreachable');
  await receiver.reopen();
});

test('lists deliveries by status, page by page, and sends a period again', async () => {
  const { page, button, dialog } = tab;
  const webhook = await createWebhook(service, world.projectId, {
    url: receiver.url,
    events: ['session.created'],
  });
  for (let n = 0; n < 30; n++) await mint();
  await receiver.until(() => receiver.accepted().length === 30);
  await expect
    .poll(async () => (await webhook.get('/deliveries?status=delivered&limit=100')).deliveries.length)
    .toBe(30);
  await tab.show(`/${world.projectId}/webhooks/${webhook.webhookId}`);
  await expect.poll(() => page.getByRole('row').count()).toBe(26);
  await button('Show more').click();
  await expect.poll(() => page.getByRole('row').count()).toBe(31);
  await page.getByLabel('Status', { exact: true }).selectOption('failed');
  await page.getByRole('heading', { name: 'No delivery has this status.' }).waitFor();
  await inspect(page, 'webhook-no-match');
  await button('Show all').click();
  await expect.poll(() => page.getByRole('row').count()).toBe(26);

  await button('Send a period again').click();
  const replay = dialog('Send a period again');
  const [from, to] = [replay.getByLabel('From'), replay.getByLabel('Until')];
  const [start, end] = [await from.inputValue(), await to.inputValue()];
  await from.fill(end);
  await to.fill(start);
  await replay.getByRole('button', { name: 'Send again' }).click();
  await replay.getByText('must be after from', { exact: false }).waitFor();
  await inspect(page, 'webhook-replay');
  expect(receiver.received).toHaveLength(30);
  await from.fill(start);
  await to.fill(end);
  await replay.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('30 events will be sent again.').waitFor();
  await receiver.until(() => receiver.received.length === 60);
  const ids = (part: typeof receiver.received) => part.map(({ eventId }) => eventId);
  expect(ids(receiver.received.slice(30))).toEqual(ids(receiver.received.slice(0, 30)));
});

test('everything is done with the keyboard alone', async () => {
  const { page, dialog } = tab;
  /** Presses Tab until a control has the focus, which must be visible on the way, then Enter. */
  const press = async (control: string, key = 'Enter') => {
    expect((await walk(page, 'Tab', control)).filter(({ isVisible }) => !isVisible)).toEqual([]);
    await page.keyboard.press(key);
  };
  await tab.show(`/${world.projectId}/webhooks`);
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  await press('button Create webhook');
  await expect.poll(() => focusedControl(page)).toBe('textbox URL');
  await page.keyboard.type(receiver.url);
  await press('checkbox session.ended the conversation is over; with its duration', ' ');
  await press('button Create webhook');
  await dialog('The secret of the webhook').waitFor();
  await expect.poll(() => focusedControl(page)).toBe('button Copy secret');
  await page.keyboard.press('Enter');
  await press('button Done');
  await dialog('The secret of the webhook').waitFor({ state: 'detached' });
  await press(`link ${new URL(receiver.url).host}`);
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  await press('button Send test');
  await page.getByText('Status 200').first().waitFor();
  await press(`button Details of ${receiver.received[0]?.eventId}`);
  await dialog('webhook.test').waitFor();
  await page.keyboard.press('Escape');
  await dialog('webhook.test').waitFor({ state: 'detached' });
  await expect.poll(() => focusedControl(page)).toBe(`button Details of ${receiver.received[0]?.eventId}`);
});

test('a viewer reads everything and changes nothing', async () => {
  const webhook = await createWebhook(service, world.projectId, receiver);
  await mint();
  await receiver.until(() => receiver.accepted().length === 1);
  const operator = await createOperator(service, { role: 'viewer' });
  const other = await browser.open({ viewport: { width: 1280, height: 900 } });
  const viewer = await openConsole(other, service, operator.operatorId);
  const buttons = () =>
    viewer.page
      .locator('main button')
      .evaluateAll((found) => found.map((one) => one.getAttribute('aria-label')));
  await viewer.show(`/${world.projectId}/webhooks`);
  await viewer.page.getByRole('link', { name: new URL(receiver.url).host }).waitFor();
  expect(await buttons()).toEqual([]);
  await viewer.show(`/${world.projectId}/webhooks/${webhook.webhookId}`);
  await viewer.page.getByRole('rowheader', { name: 'session.created' }).waitFor();
  const details = `Details of ${receiver.received[0]?.eventId}`;
  expect(await buttons()).toEqual(['Copy code', details]);
  await viewer.button(details).click();
  await viewer.dialog('session.created').getByText('thank you').waitFor();
  expect(
    await viewer
      .dialog('session.created')
      .getByRole('button', { name: /Send again/ })
      .count(),
  ).toBe(0);
  expect(viewer.complaints).toEqual([]);
  await other.close();
});
