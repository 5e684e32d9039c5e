// Runs the tests of all workspaces in three runs in parallel: the tests of the service, those of them that start processes, and the other
// workspaces one after the other. The tests with processes mostly wait, so beside the others they use CPU time that would be idle. The
// output of the first run is printed at once, that of the other two at the end.
// Run it with: npm test
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const packageOf = (folder) => JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'));
const others = packageOf('.').workspaces.filter((name) => name !== 'server' && packageOf(name).scripts?.test);

function test(workspace, stdio, args = [], env = {}) {
  const child = spawn('npm', ['test', '-w', workspace, '--', ...args], {
    cwd: root,
    stdio,
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ workspace, output, failed: code !== 0 }));
  });
}

const buffered = ['ignore', 'pipe', 'pipe'];

async function testOthers() {
  const results = [];
  for (const workspace of others) results.push(await test(workspace, buffered));
  return results;
}

const [service, processes, results] = await Promise.all([
  test('server', 'inherit', ['--project', '!processes'], { VITEST_MAX_WORKERS: '3' }),
  test('server', buffered, ['--project', 'processes']),
  testOthers(),
]);
const all = [service, processes, ...results];
for (const { output } of all) process.stdout.write(output);
const failed = new Set(all.filter((result) => result.failed).map(({ workspace }) => workspace));
if (failed.size > 0) {
  process.stderr.write(`\nfailed: ${[...failed].join(', ')}\n`);
  process.exitCode = 1;
}
