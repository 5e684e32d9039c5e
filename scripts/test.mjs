// Runs the tests of all workspaces: those of the service and, in parallel, those of the other workspaces one after the other. Both spend
// time on I/O, so running them in parallel uses the CPU better. The output of the other workspaces is buffered and printed at the end,
// followed by the slowest files and the failed tests of all workspaces. With TEST_SUMMARY, the failed tests are also written to that file.
// Runs with the same file TEST_EXCUSES share the number of excuses for a busy machine.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';

const usage = `Usage: npm test                    what to run before a commit
       npm run test:all            every test, except measurements
       npm run test:all -- --rest  the tests that npm test leaves out
The files of each tier are listed in testing/src/tiers.ts. npm test runs the tests of the embedded engine only if engine/ has changed.
`;

const root = new URL('../', import.meta.url);
/** Maximum number of time limits that tests may exceed because the machine is busy. */
const maxExcuses = 3;
const slowestCount = 15;

const packageOf = (folder) => JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'));
const others = packageOf('.').workspaces.filter((name) => name !== 'server' && packageOf(name).scripts?.test);

const reports = mkdtempSync(join(tmpdir(), 'session-launch-tests-'));
process.once('exit', () => rmSync(reports, { recursive: true, force: true }));
const reportOf = (workspace) => join(reports, `${workspace.replaceAll('/', '-')}.json`);
const excusesFile = process.env.TEST_EXCUSES ?? join(reports, 'excuses');

function tierOf(args) {
  const { values } = parseArgs({
    args,
    options: { all: { type: 'boolean' }, rest: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(usage);
    process.exit();
  }
  if (values.rest) return 'rest';
  return values.all ? 'all' : 'first';
}

/** By default, `npm test` checks the accessibility of each screen once, the other tiers that of each step. */
const axe = (tier) => ({ TEST_AXE: process.env.TEST_AXE ?? (tier === 'first' ? 'once' : 'all') });

function test(workspace, tier, stdio) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportOf(workspace)}`];
  const child = spawn('npm', ['test', '-w', workspace, '--', ...reporters], {
    cwd: root,
    stdio,
    env: { ...process.env, TEST_TIER: tier, TEST_EXCUSES: excusesFile, ...axe(tier) },
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

/** Whether `engine/` differs from its last common state with the main branch. True if git or the main branch is missing. */
function isEngineChanged() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const common = (branch) => git('merge-base', 'HEAD', branch);
  try {
    let base;
    try {
      base = common('origin/main');
    } catch {
      base = common('main');
    }
    const isUncommitted = git('status', '--porcelain', '--', 'engine') !== '';
    return isUncommitted || git('diff', '--name-only', base, 'HEAD', '--', 'engine') !== '';
  } catch {
    return true;
  }
}

/** The workspaces besides `server` with tests in this tier. */
function othersIn(tier) {
  if (tier === 'all' || isEngineChanged() === (tier === 'first')) return others;
  return others.filter((workspace) => workspace !== 'engine');
}

async function testOthers(tier) {
  const results = [];
  for (const workspace of othersIn(tier))
    results.push(await test(workspace, tier, ['ignore', 'pipe', 'pipe']));
  return results;
}

/** The results of each file, or `undefined` if the run of the workspace wrote no report. */
function filesOf(workspace) {
  if (!existsSync(reportOf(workspace))) return undefined;
  const { testResults } = JSON.parse(readFileSync(reportOf(workspace), 'utf8'));
  return testResults.map((file) => ({ ...file, name: file.name.slice(root.pathname.length) }));
}

/** The failed tests of a workspace, each with the beginning of its message. */
function failuresOf(workspace) {
  const files = filesOf(workspace);
  if (files === undefined) return '  no report was written\n';
  const failures = files.flatMap(({ name, status, message, assertionResults }) => {
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
      return `  ${name} > ${title}\n${lines.map((line) => `      ${line.slice(0, 300)}\n`).join('')}`;
    })
    .join('');
}

function printSlowest(files) {
  const seconds = ({ startTime, endTime }) => (endTime - startTime) / 1000;
  const slowest = [...files].sort((a, b) => seconds(b) - seconds(a)).slice(0, slowestCount);
  process.stdout.write(`\nThe ${slowest.length} slowest files, in seconds:\n`);
  for (const file of slowest) process.stdout.write(`${seconds(file).toFixed(1).padStart(7)}  ${file.name}\n`);
}

const began = performance.now();
const tier = tierOf(process.argv.slice(2));
const [server, results] = await Promise.all([test('server', tier, 'inherit'), testOthers(tier)]);
for (const { output } of results) process.stdout.write(output);

const files = ['server', ...results.map(({ workspace }) => workspace)].flatMap(
  (workspace) => filesOf(workspace) ?? [],
);
printSlowest(files);
const tests = files.flatMap(({ assertionResults }) => assertionResults);
const count = (...statuses) => tests.filter((result) => statuses.includes(result.status)).length;
const minutes = (performance.now() - began) / 60_000;
process.stdout.write(
  `\n${files.length} files in ${minutes.toFixed(1)} minutes.\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped', 'pending', 'todo')} skipped\n`,
);

const excuses = existsSync(excusesFile) ? readFileSync(excusesFile, 'utf8').trim().split('\n') : [];
if (excuses.length > 0)
  process.stdout.write(`\nExcused because the machine was busy:\n${excuses.join('\n')}\n`);

const failed = [server, ...results].filter((result) => result.failed);
const summary = [
  ...failed.map(({ workspace }) => `failed: ${workspace}\n${failuresOf(workspace)}`),
  ...(excuses.length > maxExcuses ? [`failed: more than ${maxExcuses} excuses for a busy machine\n`] : []),
].join('');
if (summary !== '') {
  process.stderr.write(`\n${summary}`);
  if (process.env.TEST_SUMMARY) writeFileSync(process.env.TEST_SUMMARY, summary);
  process.exitCode = 1;
}
