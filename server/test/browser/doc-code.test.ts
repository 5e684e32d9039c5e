import { apply, experience, project } from '@session-launch/testing/world.ts';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { blockRunBy, blocksRunBy } from '../harness/doc-blocks.ts';
import { bundleReact } from '../harness/react-bundle.ts';
import { runProgram, serveProgram, talksOn, useShownPages } from '../harness/shown-code.ts';

const pages = useShownPages();
const { talking, open } = pages;

const used = new Set<string>();

/** A block of a page with the addresses and ids of the service under test. */
function block(page: string, containing: string): string {
  const text = blockRunBy(import.meta.url, page, containing);
  used.add(text);
  return text
    .replaceAll(/https:\/\/launch\.example\.com|http:\/\/127\.0\.0\.1:8080/g, talking.service.url)
    .replaceAll('exp_harbor_guide', talking.experienceId)
    .replaceAll('prj_demo', talking.projectId)
    .replaceAll("'harbor-guide'", 'process.env.SLUG');
}

const env = () => ({ LAUNCH_URL: talking.service.url, LAUNCH_KEY: pages.key });
const signIn = {
  'sign-in.js': `export const userOf = async ({ headers }) => (headers.get('cookie') === 'user=ann' ? { id: 'ann' } : null);`,
};

test.each([
  ['README.md', 'sdk/v2'],
  ['docs/embed.md', '</script>\n<session-experience experience-id="exp_harbor_guide"></session-experience>'],
])('the two lines of %s show a player that talks', async (page, containing) => {
  const opened = await open(block(page, containing));
  await talksOn(opened.page);
  expect(opened.complaints).toEqual([]);
});

test('the lines for other sites show a player that talks', async () => {
  const one = experience({
    public: true,
    allowedOrigins: [pages.site.origin],
    runtime: {
      characters: [{ characterId: 'ada', name: 'Ada' }],
      transport: { type: 'websocket' },
      mind: { greeting: { en: 'Hello, and welcome.' } },
    },
  });
  const applied = await apply(talking.service, { project: project({}), experiences: [one] });
  expect(applied.status, applied.text).toBe(200);
  const lines = block('docs/embed.md', 'door="public"').replace(talking.experienceId, one.id);
  const { page, complaints } = await open(lines);
  await talksOn(page);
  expect(complaints).toEqual([]);
});

test('the lines with a check show a player that talks', async () => {
  const asked = pages.context.waitForEvent('response', (response) =>
    response.url().endsWith('/availability?door=browser'),
  );
  const { page, complaints } = await open(block('docs/embed.md', ' check></session-experience>'));
  expect(await (await asked).json()).toEqual({ available: true });
  await talksOn(page);
  expect(complaints).toEqual([]);
});

test('the module of the service shows a player that talks', async () => {
  const script = block('docs/embed.md', 'session-launch.mjs');
  const { page, complaints } = await open(`<div id="stage"></div><script type="module">${script}</script>`);
  await talksOn(page, 'Talk to Maren');
  expect(complaints).toEqual([]);
});

test.each([
  ['sdk/browser/README.md', '/browser', 'Talk to Maren'],
  ['docs/embed.md', '/browser/core', 'Talk'],
])('the script of %s with the package %s starts a session', async (page, entry, label) => {
  const bundled = await build({
    stdin: { contents: block(page, `'@session-launch${entry}'`), resolveDir: import.meta.dirname },
    bundle: true,
    format: 'iife',
    write: false,
  });
  const opened = await open('<div id="stage"></div><button id="talk">Talk</button>');
  const before = (await talking.sessions()).length;
  await opened.page.addScriptTag({ content: bundled.outputFiles[0]!.text });
  await opened.page.getByRole('button', { name: label, exact: true }).click();
  await expect.poll(async () => (await talking.sessions()).length).toBe(before + 1);
  await expect.poll(async () => (await talking.sessions())[0].status).toBe('active');
  expect(opened.complaints).toEqual([]);
});

test('the code for an own interface disables a button while no session could start', async () => {
  const contents = `${block('docs/embed.md', "'@session-launch/browser/core'")}
    window.ask = async () => { ${block('docs/embed.md', 'experience.availability()')} };`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'iife',
    write: false,
  });
  const { page, complaints } = await open('<button id="talk">Talk</button>');
  await page.addScriptTag({ content: outputFiles[0]!.text });
  const isDisabled = () => page.evaluate('ask().then(() => document.querySelector("#talk").disabled)');
  expect(await isDisabled()).toBe(false);
  await page.route('**/availability?door=browser', (route) =>
    route.fulfill({
      headers: { 'Access-Control-Allow-Origin': '*' },
      json: { available: false, code: 'CONCURRENCY_LIMIT', message: 'Full.', retryAfter: 5 },
    }),
  );
  expect(await isDisabled()).toBe(true);
  expect(complaints).toEqual([]);
});

test.each(['docs/embed.md', 'sdk/react/README.md'])(
  'the React component of %s shows a player that talks',
  async (page) => {
    const contents = `${block(page, '@session-launch/react')}
      import { createRoot } from 'react-dom/client';
      createRoot(document.getElementById('root')).render(<Guide />);`;
    const entry = { stdin: { contents, loader: 'tsx' as const, resolveDir: import.meta.dirname } };
    const script = await bundleReact('node_modules', entry, talking);
    const opened = await open('<div id="root"></div>');
    await opened.page.addScriptTag({ content: script });
    await talksOn(opened.page);
    expect(opened.complaints).toEqual([]);
  },
);

test('the programs that mint, read, end and list run to their end', async () => {
  const mint = block('docs/backend.md', 'client.sessions.mint');
  expect(await runProgram(`${mint}\nconsole.log(launch.sessionId === session.sessionId);`, env())).toBe(
    'true\n',
  );
  const { experiences } = (
    await talking.service.call({
      path: `/v1/projects/${talking.projectId}/experiences`,
      headers: { Authorization: `Bearer ${pages.key}` },
    })
  ).json;
  const client = block('docs/sdk-backend.md', 'client.experiences.list');
  const more =
    'console.log(replayed, experiences.length, notModified, launch.sessionId === session.sessionId);';
  expect(await runProgram(`${client}\n${more}`, { ...env(), SLUG: experiences[0].slug })).toBe(
    'false 1 true true\n',
  );
  expect((await talking.sessions())[0].status).toBe('ended');
});

test.each(['docs/overview.md', 'sdk/backend/README.md'])(
  'the relay of %s launches for users only',
  async (page) => {
    const program = block(page, 'createRelay');
    const { url, output } = await serveProgram(program, env(), signIn);
    const launch = (cookie: string) =>
      fetch(`${url}/api/launch`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: url, Cookie: cookie },
        body: JSON.stringify({ experienceId: talking.experienceId }),
      });
    expect((await launch('user=ann')).status).toBe(200);
    expect((await launch('')).status).toBe(401);
    expect(output()).not.toMatch(/eyJ|sl_test_/);
  },
);

test.each(['docs/backend.md', 'docs/sdk-backend.md'])(
  'the relay options of %s work as a route of a fetch-based framework',
  async (page) => {
    const program = `
      ${block('docs/backend.md', 'client.sessions.mint')}
      const userOfCookie = async (cookie) => (cookie === 'user=ann' ? { id: 'ann', plan: 'pro' } : null);
      const mayLaunch = (experienceId, userId) => userId === 'ann';
      ${block(page, 'userOfCookie')}
      ${block('docs/backend.md', 'export const POST')}
      const url = 'http://shop.example/api/launch';
      const body = JSON.stringify({ experienceId: process.env.EXPERIENCE });
      for (const Cookie of ['user=ann', ''])
        console.log((await POST(new Request(url, { method: 'POST', body,
          headers: { 'Content-Type': 'application/json', Origin: 'http://shop.example', Cookie } }))).status);`;
    expect(await runProgram(program, { ...env(), EXPERIENCE: talking.experienceId })).toBe('200\n401\n');
    expect((await talking.sessions())[0]).toMatchObject({ userId: 'ann', metadata: { plan: 'pro' } });
  },
);

test('the relay for other origins answers the preflight of its origin', async () => {
  const program = `
    ${block('docs/backend.md', 'client.sessions.mint')}
    import { createRelay } from '@session-launch/backend';
    const userOfToken = () => ({ userId: 'ann' });
    ${block('docs/backend.md', 'userOfToken')}
    for (const Origin of ['https://app.example.com', 'https://evil.example'])
      console.log((await relay.mint(new Request('https://api.example.com/launch', { method: 'OPTIONS',
        headers: { Origin, 'Access-Control-Request-Method': 'POST' } }))).status);`;
  expect(await runProgram(program, env())).toBe('204\n403\n');
});

test('the token verifier accepts the token of a launch', async () => {
  const program = `
    ${block('docs/backend.md', 'client.sessions.mint')}
    const [token, request, remember] = [launch.sessionToken, { headers: {} }, () => true];
    ${block('docs/sdk-backend.md', 'sessionTokenVerifier')}
    console.log(claims.sub === session.sessionId);`;
  expect(await runProgram(program, env())).toBe('true\n');
});

test('no block that names this file was left out', () => {
  const left = blocksRunBy(import.meta.url).filter(({ text }) => !used.has(text));
  expect(left.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
});
