import {
  createKeySnippet,
  curlSnippet,
  fetchSnippet,
  htmlSnippet,
  keyVariableSnippet,
  nodeCommand,
  nodeSnippet,
  reactSnippet,
  relayPageSnippet,
  relaySnippet,
} from '@session-launch/contract/snippets';
import { adminToken } from '@session-launch/testing/target.ts';
import { apply, experience, project } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { bundleReact } from '../harness/react-bundle.ts';
import {
  openPage,
  runCommand,
  runCommandWith,
  serveProgram,
  talksOn,
  useShownPages,
} from '../harness/shown-code.ts';

const pages = useShownPages();
const { talking, open } = pages;

const facts = () => ({ publicUrl: talking.service.url, experienceId: talking.experienceId });

test.each(['the key itself', 'a variable'])('curl with %s creates a session', async (given) => {
  const { publicUrl, experienceId } = facts();
  const shown = given === 'a variable' ? { variable: 'LAUNCH_KEY' } : { text: pages.key };
  const command = curlSnippet({ publicUrl, key: shown, body: { experienceId } });
  const env = given === 'a variable' ? { LAUNCH_KEY: pages.key } : {};
  const answer = JSON.parse(await runCommand(`${command} -s`, env));
  expect(answer.session).toMatchObject({ experienceId, status: 'created', source: 'server' });
});

test('curl sends an origin and languages as a page does', async () => {
  const { publicUrl, experienceId } = facts();
  const headers = { Origin: pages.site.origin, 'Accept-Language': 'en-GB, en;q=0.5' };
  const command = curlSnippet({ publicUrl, route: 'browser-sessions', headers, body: { experienceId } });
  expect(JSON.parse(await runCommand(`${command} -s`))).toMatchObject({
    session: { source: 'browser', origin: pages.site.origin },
  });
});

test('Node.js code creates a session with the line in .env, and prints no token and no key', async () => {
  const printed = await runCommandWith(
    { 'mint.mjs': nodeSnippet(facts()), '.env': keyVariableSnippet(pages.key) },
    nodeCommand,
  );
  expect(printed).toMatch(/^ses_\w+ \d{4}-\S+Z\n$/);
  const [newest] = await talking.sessions();
  expect(newest).toMatchObject({ sessionId: printed.split(' ')[0], source: 'server' });
});

test('the command for another key creates one', async () => {
  const command = createKeySnippet(talking.projectId);
  const printed = await runCommand(command, { ADMIN_URL: talking.service.adminUrl, ADMIN_TOKEN: adminToken });
  expect(printed).toMatch(/sl_test_\w+/);
});

test('two lines of HTML show a player that talks', async () => {
  const { page, complaints } = await open(htmlSnippet(facts()));
  await talksOn(page);
  expect(complaints).toEqual([]);
});

test('two lines of HTML with the public endpoint show a player that talks', async () => {
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
  const lines = htmlSnippet({ ...facts(), experienceId: one.id, endpoint: 'public' });
  const { page, complaints } = await open(lines);
  await talksOn(page);
  expect(complaints).toEqual([]);
});

describe.each([
  ['React 18', 'sdk/react-18/node_modules'],
  ['React 19', 'node_modules'],
])('%s', (_name, react) => {
  test('the component shows a player that talks', async () => {
    const contents = `${reactSnippet(facts())}
      import { createRoot } from 'react-dom/client';
      createRoot(document.getElementById('root')).render(<Character />);`;
    const script = await bundleReact(
      react,
      { stdin: { contents, loader: 'jsx', resolveDir: import.meta.dirname } },
      talking,
    );
    const { page, complaints } = await open('<div id="root"></div>');
    await page.addScriptTag({ content: script });
    await talksOn(page);
    expect(complaints).toEqual([]);
  });
});

test('the relay serves its page, refuses visitors who are not signed in, and never sends the key', async () => {
  const signIn = `export const userOf = async (request) =>
    /user=(\\w+)/.test(request.headers.get('cookie')) ? { id: 'ann' } : null;`;
  const { url, output } = await serveProgram(
    // The page of the application.
    relaySnippet(facts()).replace(
      'app.listen(',
      "app.get('/', (_, to) => to.send(process.env.PAGE));\napp.listen(",
    ),
    {
      LAUNCH_KEY: pages.key,
      PAGE: `<!doctype html><link rel="icon" href="data:,">${relayPageSnippet(facts())}`,
    },
    { 'sign-in.js': signIn },
  );
  const { page, complaints } = await openPage(pages.context, url, talking.service.url);
  const [refused] = await Promise.all([
    page.waitForResponse(`${url}/api/launch`),
    page.getByRole('button', { name: 'Start' }).click(),
  ]);
  expect(refused.status()).toBe(401);

  await pages.context.addCookies([{ name: 'user', value: 'ann', url }]);
  await page.reload();
  await talksOn(page);
  const [newest] = await talking.sessions();
  expect(newest).toMatchObject({ source: 'server', userId: 'ann' });
  // Another experience than that of the snippet is refused.
  const other = await page.evaluate(`fetch('/api/launch', { method: 'POST',
    headers: { 'Content-Type': 'application/json' }, body: '{"experienceId":"exp_harbor_guide"}' }).then((r) => r.status)`);
  expect(other).toBe(403);
  for (const text of [await page.content(), output()]) expect(text).not.toMatch(/eyJ|sl_test_/);
  expect(complaints.filter((one) => !/40[13]/.test(one))).toEqual([]);
});

test('a script of a page gets a launch', async () => {
  const { page, complaints } = await open('');
  const launch = await page.evaluate(`(async () => { ${fetchSnippet(facts())}; return launch; })()`);
  expect(launch).toMatchObject({
    sessionId: expect.stringMatching(/^ses_/),
    sessionToken: expect.any(String),
  });
  expect(complaints).toEqual([]);
});

test('ids and URLs with quotes, markup or dollar signs stay values', async () => {
  const experienceId = `exp_"'<img src=x onerror=alert(1)>&quot;\${alert(1)}</script>\\`;
  const publicUrl = `${talking.service.url}/it's"$HOME`;
  const lines = htmlSnippet({ publicUrl, experienceId });
  const { page } = await open(lines);
  const read = await page.evaluate(`({
    id: document.querySelector('session-experience').getAttribute('experience-id'),
    src: document.querySelector('script').getAttribute('src'),
    images: document.images.length,
  })`);
  expect(read).toEqual({ id: experienceId, src: `${publicUrl}/sdk/v2/session-launch.js`, images: 0 });

  const script = `<script type="module">window.sent = []; window.fetch = async (...args) => {
    sent.push(args); return Response.json({ launch: {} }); };
    ${fetchSnippet({ publicUrl, experienceId })}</script>`;
  const { page: other } = await open(script);
  await expect
    .poll(() => other.evaluate('sent.map(([url, { body }]) => [url, JSON.parse(body).experienceId])'))
    .toEqual([[`${publicUrl}/v1/browser-sessions`, experienceId]]);

  const react = `${reactSnippet({ publicUrl, experienceId })}
    window.props = Character().props;`;
  const text = await bundleReact(
    'node_modules',
    { stdin: { contents: react, loader: 'jsx', resolveDir: import.meta.dirname } },
    talking,
  );
  await other.addScriptTag({ content: text });
  expect(await other.evaluate('props')).toEqual({ experienceId, baseUrl: publicUrl });
});
