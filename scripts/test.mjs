// Runs the tests of all workspaces: those of the service and, in parallel, those of the other workspaces one after the other. Both spend
// time on I/O, so running them in parallel uses the CPU better. The output of the other workspaces is buffered and printed at the end,
// followed by the failed tests of all workspaces. With TEST_SUMMARY, they are also written to that file. Run it with: npm test
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = new URL('../', import.meta.url);
const packageOf = (folder) => JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'));
const others = packageOf('.').workspaces.filter((name) => name !== 'server' && packageOf(name).scripts?.test);

const reports = mkdtempSync(join(tmpdir(), 'session-launch-tests-'));
process.once('exit', () => rmSync(reports, { recursive: true, force: true }));
const reportOf = (workspace) => join(reports, `${workspace.replaceAll('/', '-')}.json`);

function test(workspace, stdio) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportOf(workspace)}`];
  const child = spawn('npm', ['test', '-w', workspace, '--', ...reporters], { cwd: root, stdio });
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
  const summary = failed.map(({ workspace }) => `failed: ${workspace}\n${failuresOf(workspace)}`).join('');
  process.stderr.write(`\n${summary}`);
  if (process.env.TEST_SUMMARY) writeFileSync(process.env.TEST_SUMMARY, summary);
  process.exitCode = 1;
}

/** The failed tests of a workspace, each with the beginning of its message. */
function failuresOf(workspace) {
  if (!existsSync(reportOf(workspace))) return '  no report was written\n';
  const { testResults } = JSON.parse(readFileSync(reportOf(workspace), 'utf8'));
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((result) => result.status === 'failed');
    if (status === 'failed' && tests.length === 0) return [{ name, title: '(the file)', message }];
    return tests.map(({ fullName, failureMessages }) => ({
      name,
      title: fullName,
      message: failureMessages.join('\n'),
    }));
  });
  if (failures.length === 0) return '  no test failed: see the errors outside of tests above\n';
  return failures
    .map(({ name, title, message }) => {
      const lines = stripVTControlCharacters(message).split('\n').slice(0, 6);
      return `  ${name.slice(root.pathname.length)} > ${title}\n${lines.map((line) => `      ${line.slice(0, 300)}\n`).join('')}`;
    })
    .join('');
}
