// Runs the tests of all workspaces: those of the service and, in parallel, those of the other workspaces one after the other. Both spend
// time on I/O, so running them in parallel uses the CPU better. The output of the other workspaces is buffered and printed at the end.
// Run it with: npm test
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const packageOf = (folder) => JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'));
const others = packageOf('.').workspaces.filter((name) => name !== 'server' && packageOf(name).scripts?.test);

function test(workspace, stdio) {
  const child = spawn('npm', ['test', '-w', workspace], { cwd: root, stdio });
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

async function testOthers() {
  const results = [];
  for (const workspace of others) results.push(await test(workspace, ['ignore', 'pipe', 'pipe']));
  return results;
}

const [server, results] = await Promise.all([test('server', 'inherit'), testOthers()]);
for (const { output } of results) process.stdout.write(output);
const failed = [server, ...results].filter((result) => result.failed);
if (failed.length > 0) {
  process.stderr.write(`\nfailed: ${failed.map(({ workspace }) => workspace).join(', ')}\n`);
  process.exitCode = 1;
}
