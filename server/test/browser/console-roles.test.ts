import { isPermitted, type Permission, type Role, roles } from '@session-launch/contract/roles';
import { useBrowser } from '@session-launch/testing/browser.ts';
import type { Call } from '@session-launch/testing/http.ts';
import {
  createWorld,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';
import { type ConsoleTab, openConsole } from '../harness/console.ts';
import { createOperator, withToken } from '../harness/operators.ts';
import { useService } from '../harness/service.ts';
import { createWebhook } from '../harness/webhook-receiver.ts';

const service = useService();
const browser = useBrowser();
const stranger = 'https://shop.example';
const otherStranger = 'https://blog.example';

/** Something that only some roles see, and the request that it would send. */
interface Control {
  name: string;
  permission: Permission;
  /** A second permission that it needs. */
  also?: Permission;
  request: Call;
}

/** The buttons of a screen. Everybody sees those of `everybody`. */
interface Expected {
  route: string;
  everybody: string[];
  controls: Control[];
}

let world: World;
let screens: Expected[];
let others: Control[];

beforeAll(async () => {
  world = await createWorld(service, { experience: { public: true } });
  const { projectId, experienceId, key } = world;
  const project = `/admin/projects/${projectId}`;
  const { session } = (await mintFromServer(service, key, { experienceId })).json;
  const refused = await mintFromBrowser(service, { experienceId }, { Origin: stranger });
  expect(refused.json.error.code).toBe('ORIGIN_NOT_ALLOWED');
  const refusedPublic = await mintFromPublic(service, { experienceId }, { Origin: otherStranger });
  await service.tallies.flush();
  expect(refusedPublic.json.error.code).toBe('ORIGIN_NOT_ALLOWED');
  const { experience } = await askAdmin(service, 'GET /admin/experiences/{experienceId}', {
    params: { experienceId },
  });
  const { keys } = (await service.admin({ path: `${project}/keys` })).json;
  const settings = (body: object): Call => ({
    method: 'PATCH',
    path: project,
    headers: { 'If-Match': '"1"' },
    body,
  });
  const ofKey = ({ keyId, hint, mode }: { keyId: string; hint: string; mode: string }): Control[] => {
    const permission = mode === 'live' ? 'manage-projects' : 'run-integration';
    const post = (what: string): Call => ({ method: 'POST', path: `/admin/keys/${keyId}/${what}`, body: {} });
    return [
      { name: `Replace ${hint}`, permission, request: post('replace') },
      { name: `Revoke ${hint}`, permission, request: post('revoke') },
    ];
  };
  const webhookBody = { url: 'https://shop.example/webhooks', events: ['session.ended'] };
  const webhook = await createWebhook(service, projectId, webhookBody);
  const ofWebhook = (name: string, method: string, rest: string, body?: object): Control => ({
    name,
    permission: 'run-integration',
    request: {
      method,
      path: `${project}/webhooks/${webhook.webhookId}${rest}`,
      ...(body === undefined ? {} : { body }),
    },
  });
  screens = [
    {
      route: 'overview',
      everybody: [],
      controls: [
        {
          name: `Allow ${stranger}`,
          permission: 'run-integration',
          request: settings({ allowedOrigins: [stranger] }),
        },
        {
          name: `Allow ${otherStranger}`,
          permission: 'edit-experiences',
          also: 'run-integration',
          request: {
            method: 'PUT',
            path: `/admin/experiences/${experienceId}`,
            headers: { 'If-Match': '"1"' },
            body: { experience: { ...experience, allowedOrigins: [otherStranger] } },
          },
        },
      ],
    },
    {
      route: 'keys',
      everybody: [],
      controls: [
        {
          name: 'Create key',
          permission: 'run-integration',
          request: { method: 'POST', path: `${project}/keys`, body: { mode: 'test', scopes: [] } },
        },
        ...keys.flatMap(ofKey),
      ],
    },
    {
      route: 'embeds',
      everybody: ['Copy code', 'Check'],
      controls: [
        {
          name: 'Allow origin',
          permission: 'run-integration',
          request: settings({ browserEmbeds: false }),
        },
        {
          name: `Remove ${pageOrigin}`,
          permission: 'run-integration',
          request: settings({ allowedOrigins: [] }),
        },
      ],
    },
    {
      route: 'webhooks',
      everybody: [],
      controls: [
        {
          name: 'Create webhook',
          permission: 'run-integration',
          request: { method: 'POST', path: `${project}/webhooks`, body: webhookBody },
        },
      ],
    },
    {
      route: `webhooks/${webhook.webhookId}`,
      everybody: ['Copy code'],
      controls: [
        ofWebhook('Change', 'PATCH', '', { name: 'other' }),
        ofWebhook('Disable', 'PATCH', '', { enabled: false }),
        ofWebhook('Delete', 'DELETE', ''),
        ofWebhook('Send test', 'POST', '/test'),
        ofWebhook('New secret', 'POST', '/secret'),
        ofWebhook('Send a period again', 'POST', '/replay', {
          from: '2026-03-01T00:00:00Z',
          to: '2026-03-02T00:00:00Z',
        }),
      ],
    },
    { route: 'sessions', everybody: ['Download CSV'], controls: [] },
    {
      route: `sessions/${session.sessionId}`,
      everybody: [],
      controls: [
        {
          name: 'End',
          permission: 'run-integration',
          request: { method: 'POST', path: `/admin/sessions/${session.sessionId}/end` },
        },
      ],
    },
    {
      route: 'limits',
      everybody: ['Download CSV'],
      controls: [
        {
          name: 'Save limits',
          permission: 'manage-projects',
          request: settings({ limits: { sessionsPerDay: 1 } }),
        },
      ],
    },
    { route: 'activity', everybody: ['Download'], controls: [] },
  ];
  others = [
    {
      name: 'New experience',
      permission: 'edit-experiences',
      request: { method: 'POST', path: `${project}/experiences`, body: { experience: {} } },
    },
    {
      name: 'New project',
      permission: 'manage-projects',
      request: { method: 'POST', path: '/admin/projects?expect=0', body: { project: { id: 'prj_new' } } },
    },
    {
      name: 'Live use',
      permission: 'manage-projects',
      request: {
        method: 'POST',
        path: `${project}/keys`,
        body: { mode: 'live', scopes: ['sessions:create'] },
      },
    },
    { name: 'Team', permission: 'manage-service', request: { path: '/admin/operators' } },
    { name: 'System', permission: 'manage-service', request: { path: '/admin/doctor' } },
  ];
});

const isShown = (role: Role, { permission, also = permission }: Control) =>
  isPermitted(role, permission) && isPermitted(role, also);

const permitted = (role: Role, controls: Control[]) =>
  controls.filter((control) => isShown(role, control)).map(({ name }) => name);

/** The accessible names of what a locator finds. */
const names = (tab: ConsoleTab, selector: string) =>
  tab.page
    .locator(selector)
    .evaluateAll((found) => found.map((one) => one.getAttribute('aria-label') ?? one.textContent?.trim()));

test.each(roles)('%s sees exactly what the role table permits; the API refuses the rest', async (role) => {
  const operator = await createOperator(service, { name: `A ${role}`, role });
  const context = await browser.open({ viewport: { width: 1280, height: 900 } });
  const tab = await openConsole(context, service, operator.operatorId);
  const { page } = tab;

  const expectedLinks = [
    'Overview',
    'Experiences',
    'Keys',
    'Embeds',
    'Webhooks',
    'Sessions',
    'Limits',
    'Activity',
  ];
  const ofService = permitted(role, others).filter((name) => ['Team', 'System'].includes(name));
  await expect.poll(() => names(tab, 'nav a')).toEqual([...expectedLinks, ...ofService]);
  const hasNewProject = permitted(role, others).includes('New project');
  expect((await names(tab, '.side select option')).includes('New project')).toBe(hasNewProject);

  for (const { route, everybody, controls } of screens) {
    await tab.show(`/${world.projectId}/${route}`);
    const expected = [...everybody, ...permitted(role, controls)];
    await expect.poll(async () => (await names(tab, 'main button')).sort()).toEqual(expected.sort());
  }

  await tab.show(`/${world.projectId}/embeds`);
  await expect.poll(() => page.getByRole('radio').count()).toBe(isPermitted(role, 'run-integration') ? 2 : 0);
  await tab.show(`/${world.projectId}/limits`);
  expect((await page.locator('main input').count()) > 0).toBe(isPermitted(role, 'manage-projects'));
  await tab.show(`/${world.projectId}/experiences`);
  expect((await names(tab, 'main button')).includes('New experience')).toBe(
    isPermitted(role, 'edit-experiences'),
  );
  if (isPermitted(role, 'run-integration')) {
    await tab.show(`/${world.projectId}/keys`);
    await tab.button('Create key').click();
    await expect
      .poll(() => page.getByRole('radio', { name: 'Live use' }).count())
      .toBe(isPermitted(role, 'manage-projects') ? 1 : 0);
    await page.keyboard.press('Escape');
  }
  for (const screen of ['Team', 'System']) {
    await tab.show(`/${screen.toLowerCase()}`);
    const isRefused = await page.getByText('Only an owner can see this.').isVisible();
    expect(isRefused, screen).toBe(!isPermitted(role, 'manage-service'));
  }

  // What is hidden is refused as well, whoever sends it.
  for (const control of [...screens.flatMap(({ controls }) => controls), ...others]) {
    if (isShown(role, control)) continue;
    const answer = await withToken(service, operator.token, control.request);
    expect([answer.status, answer.json.error.code], control.name).toEqual([403, 'ROLE_FORBIDDEN']);
  }
  expect(tab.complaints).toEqual([]);
  await context.close();
});

test('an operator limited to one project sees no other', async () => {
  const hidden = await createWorld(service, { project: { name: 'Of others' } });
  const operator = await createOperator(service, { role: 'owner', projectIds: [world.projectId] });
  const context = await browser.open({ viewport: { width: 1280, height: 900 } });
  const tab = await openConsole(context, service, operator.operatorId);
  await expect.poll(() => names(tab, '.side select option')).toEqual([world.file.project.name]);
  await tab.show(`/${hidden.projectId}/keys`);
  await tab.page.getByRole('alert').waitFor();
  await expect.poll(() => tab.page.getByRole('alert').innerText()).toContain('No such project');
  await expect.poll(() => names(tab, 'nav a')).not.toContain('System');
  await tab.show('/system');
  await tab.page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
  await tab.page.getByText('Only an owner of all projects can see this.').waitFor();
  await tab.show('/team');
  await tab.button('Add operator').click();
  const dialog = tab.dialog('Add an operator');
  await expect.poll(() => dialog.getByRole('checkbox').count()).toBe(1);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Of the same project');
  await dialog.getByRole('button', { name: 'Add operator' }).click();
  await tab.dialog('The token of the new operator').waitFor();
  await context.close();
});
