import { type ChildProcess, spawn } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { processFolder, until } from '@session-launch/testing/fleet.ts';
import { connect, launched, report } from '@session-launch/testing/lifecycle.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { runProgram } from '@session-launch/testing/process.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createKey } from '@session-launch/testing/world.ts';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { blockRunBy, blocksRunBy } from '../harness/doc-blocks.ts';

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const page = 'docs/webhooks.md';

test('the tutorial bills the minutes of a conversation, and every command of the page works', async (context) => {
  const { path, start } = await processFolder(context.onTestFinished);
  const DATA_DIR = await prepareDataFolder(join(path, 'data'));
  const service = await start({ DATA_DIR, DEMO: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' });
  const port = String(await freePort());
  const used = new Set<string>();
  const values: Record<string, string> = { '127.0.0.1:4000': `127.0.0.1:${port}` };
  const block = (containing: string, ofPage = page) => {
    const text = blockRunBy(import.meta.url, ofPage, containing);
    used.add(text);
    return Object.entries(values).reduce((result, [written, real]) => result.replaceAll(written, real), text);
  };
  const env = { ADMIN_URL: service.adminUrl, ADMIN_TOKEN: adminToken };
  /** Runs the commands of a block, and returns what the last one prints. */
  const command = async (containing: string) => {
    let printed = '';
    for (const line of block(containing).trim().split('\n')) {
      const { code, stdout, stderr } = await runProgram(line.split(' ').slice(1), env);
      expect(code, stderr).toBe(0);
      printed = stdout;
    }
    return printed;
  };

  await symlink(modules, join(path, 'node_modules'), 'junction');
  await writeFile(join(path, 'package.json'), '{ "type": "module" }');
  const program = block('centsPerMinute').replace('listen(4000', `listen(${port}`);
  await writeFile(join(path, 'billing.js'), program);
  const [, secret = '', webhookId = ''] =
    /^(whsec_\S+) \((whk_\w+)\)/.exec(await command('webhooks create')) ?? [];
  Object.assign(values, { 'whsec_…': secret, 'whk_…': webhookId });

  let receiver: ChildProcess | undefined;
  context.onTestFinished(() => {
    receiver?.kill();
  });
  const [, variable, ...program2] = /^(WEBHOOK_SECRET)=\S+ node (\S+)/.exec(block('node billing.js')) ?? [];
  const bills = () => fetch(block('curl -s').trim().split(' ')[2]!).then((answer) => answer.json());
  const startReceiver = async () => {
    receiver = spawn(process.execPath, program2, {
      cwd: path,
      env: { PATH: process.env.PATH, [variable!]: secret },
      stdio: 'inherit',
    });
    await until('the receiver', () => bills().then(Array.isArray, () => false));
  };
  await startReceiver();
  expect(await command('webhooks test')).toMatch(/^evt_\w+: status 204 after \d+ ms\n$/);

  const world = {
    key: (await createKey(service, 'prj_demo')).key,
    experienceId: 'exp_harbor_guide',
  };
  const converse = async () => {
    const launch = await launched(service, world);
    await connect(service, launch);
    await until('a second of conversation', async () => {
      await report(service, [{ sessionId: launch.sessionId, seconds: 1 }]);
      const read = await service.call({
        path: `/v1/sessions/${launch.sessionId}`,
        headers: { Authorization: `Bearer ${world.key}` },
      });
      return read.json.usage.seconds === 1;
    });
    await report(service, [{ sessionId: launch.sessionId, seconds: 1, ended: 'client_ended' }]);
  };
  await converse();
  await until('the bill', async () => (await bills()).length === 1);
  expect(await bills()).toEqual([{ user: 'anonymous', minutes: 1, cents: 12 }]);

  const gone = new Promise((resolve) => receiver!.once('exit', resolve));
  receiver!.kill();
  await gone;
  await converse();
  await until('a failed attempt', async () => /ECONNREFUSED/.test(await command('webhooks deliveries')));
  await startReceiver();
  const deliveries = await command('webhooks deliveries');
  const [, eventId = ''] = /^(evt_\w+) +session\.ended /m.exec(deliveries) ?? [];
  expect(await command('webhooks secret')).toMatch(/^whsec_\S+ \(whk_\w+\).* until \S+Z\.\n$/);
  Object.assign(values, { 'evt_…': eventId });
  // On a slow machine, the next retry may be minutes away.
  expect(await command('webhooks replay')).toBe('0 events will be sent again\n');
  await until('the bill that was missed', async () => (await bills()).length === 1);
  expect(service.stderr() + service.stdout()).not.toContain(secret.slice(6));

  // The handler of the page about the SDK.
  const handler = join(path, 'handler.js');
  await writeFile(handler, block('export async function POST', 'docs/sdk-backend.md'));
  const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date().toISOString(), data: {} });
  const at = new Date();
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  };
  const script = `
    import { POST } from './handler.js';
    const { headers, body } = JSON.parse(process.argv[2]);
    const ask = (text) => POST(new Request('https://shop.example', { method: 'POST', headers, body: text }));
    console.log((await ask(body)).status, (await ask(body + ' ')).status);`;
  await writeFile(join(path, 'call.js'), script);
  const called = spawn(process.execPath, ['call.js', JSON.stringify({ headers, body })], {
    cwd: path,
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of called.stdout) printed += chunk;
  expect(printed).toMatch(/^evt_1 webhook\.test [\s\S]*204 400\n$/);

  expect(blocksRunBy(import.meta.url).filter(({ text }) => !used.has(text))).toEqual([]);
});
