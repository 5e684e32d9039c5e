import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { processFolder } from '@session-launch/testing/fleet.ts';
import { runProgram } from '@session-launch/testing/process.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { type Command, walkThrough } from '@session-launch/testing/walkthrough.ts';
import { createKey } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import { blocksRunBy } from '../harness/doc-blocks.ts';
import { readPage } from '../harness/pages.ts';
import { png } from '../harness/pictures.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const cleanup = useCleanup();

const overview = 'docs/overview.md';

/** The commands of all pages that name this file, in the order in which they run: the overview creates the project of the others. */
const commands: Command[] = blocksRunBy(import.meta.url)
  .sort((a, b) => Number(b.page === overview) - Number(a.page === overview))
  .map(({ page, line, text }) => ({ title: `${page}:${line}: ${text.split('\n', 1)[0]}`, text }));
let printed: Map<Command, string>;
let folder: string;

/** The output of the only command whose text contains a given one. */
function outputOf(part: string): string {
  const found = commands.filter(({ text }) => text.includes(part));
  expect(found).toHaveLength(1);
  return printed.get(found[0]!) ?? '';
}

beforeAll(async () => {
  const { path, start } = await processFolder(cleanup);
  folder = path;
  const inFolder = (name: string) => join(path, name);
  const DATA_DIR = await prepareDataFolder(inFolder('data'));
  const service = await start({ DATA_DIR, DEMO: 'on', RUNTIME: 'on' });

  // What the pages tell the reader to have.
  const own = readPage('examples/demo.yaml')
    .replaceAll('prj_demo', 'prj_mine')
    .replaceAll('exp_harbor_guide', 'exp_mine')
    .replace(/^( +- id: exp)_(?!mine\b)/gm, '$1_my_');
  await writeFile(inFolder('my-project.yaml'), own);
  await writeFile(inFolder('ines.png'), png(512, 512));
  await copyFile(join(DATA_DIR, 'signing-keys.json'), inFolder('keys.json'));
  const backup = await runProgram(['backup', inFolder('session-launch.backup')], { DATA_DIR });
  expect(backup.code, backup.stderr).toBe(0);
  const keys = [await createKey(service, 'prj_demo'), await createKey(service, 'prj_demo')];

  const replaced: [written: string | RegExp, real: string | (() => string)][] = [
    ['http://127.0.0.1:8080', service.url],
    ['http://127.0.0.1:8081', service.adminUrl],
    ['/opt/session-launch/', root],
    ['examples/demo.yaml', join(root, 'examples/demo.yaml')],
    [/ADMIN_TOKEN=….*/g, `ADMIN_TOKEN=${adminToken}`],
    [/key_…/g, () => keys.shift()!.keyId],
    // The service would run until it is stopped.
    ['npx session-launch serve', 'ls ./restored'],
  ];
  printed = await walkThrough(
    commands,
    path,
    {
      ADMIN_URL: service.adminUrl,
      ADMIN_TOKEN: adminToken,
      DATA_DIR,
      SIGNING_KEYS_FILE: inFolder('keys.json'),
    },
    (text) =>
      replaced.reduce((result, [written, real]) => result.replaceAll(written, real as () => string), text),
  );
});

test.each(commands.map((command) => [command.title, command] as const))(
  'the command at %s succeeds',
  (_title, command) => {
    expect(printed.has(command)).toBe(true);
    // curl succeeds also if the service refuses the request.
    expect(printed.get(command)).not.toContain('"error":');
  },
);

test('the commands print what their pages say', async () => {
  expect(outputOf('keys create --project prj_mine --mode test')).toMatch(/sl_test_\w+/);
  expect(outputOf('session-launch console')).toMatch(/\/console\/#code=\S+/);
  expect(JSON.parse(outputOf('/previews'))).toHaveProperty('url');
  expect(JSON.parse(outputOf('graceSeconds'))).toHaveProperty('key');
  expect(JSON.parse(outputOf('"role":"developer"'))).toMatchObject({ name: 'Ada', role: 'developer' });
  expect(JSON.parse(outputOf('/users/user-42'))).toEqual({ sessions: 0 });
  expect(outputOf('DATA_DIR=./restored')).toMatch(/restored database[\s\S]*\ndatabase\n/);
  expect((await readFile(join(folder, 'hello.wav'))).toString('latin1', 0, 4)).toBe('RIFF');
  const { keys } = JSON.parse(await readFile(join(folder, 'keys.json'), 'utf8'));
  expect(keys).toHaveLength(2);
  const audit = (await readFile(join(folder, 'audit.ndjson'), 'utf8')).trim().split('\n');
  expect(audit.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ action: 'operator.create' }),
  );
});
