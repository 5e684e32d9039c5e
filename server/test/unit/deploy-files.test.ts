import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isSkipped, requireProgram } from '@session-launch/testing/programs.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { variables } from '../../src/config/variables.ts';
import { blockRunBy } from '../harness/doc-blocks.ts';
import { alertRules, dashboardQueries } from '../harness/monitoring.ts';
import { readPage } from '../harness/pages.ts';

const page = 'docs/operations.md';
const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = (program: string, ...args: string[]) =>
  promisify(execFile)(requireProgram(program), args, { cwd: root });

async function temporaryFile(name: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-deploy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, name), content);
  return join(folder, name);
}

describe('deploy/prometheus/alerts.yml', () => {
  const sections = readPage('docs/runbook.md').split(/^## /m).slice(1);

  test('has one section of docs/runbook.md per alert, in the same order', () => {
    expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(
      alertRules.map(({ alert }) => alert),
    );
  });

  test.each(alertRules.map((rule, at) => ({ ...rule, section: sections[at] ?? '' })))(
    '$alert: the section quotes the rule and says what it means, what to look at and what to do',
    ({ alert, expr, labels, annotations, section, for: duration }) => {
      expect(section).toContain(`\`\`\`promql\n${expr}\n\`\`\``);
      expect(section).toContain(
        `Severity: \`${labels.severity}\`. Fires ${duration ? `after ${duration}` : 'at once'}`,
      );
      for (const part of ['**What it means.**', '**What to look at.**', '**What to do.**'])
        expect(section).toContain(part);
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
      expect(annotations.summary).toMatch(/\.$/);
    },
  );

  test('every rule has a unit test in which it is silent and one in which it fires', () => {
    const { tests } = parse(readPage('deploy/prometheus/alerts.test.yml'));
    const cases: { alertname: string; exp_alerts: unknown[] }[] = tests.flatMap(
      ({ alert_rule_test }: { alert_rule_test: unknown }) => alert_rule_test,
    );
    for (const { alert } of alertRules) {
      const ofRule = cases.filter(({ alertname }) => alertname === alert);
      expect(ofRule.map(({ exp_alerts }) => exp_alerts.length).sort(), alert).toEqual([0, 1]);
    }
  });

  test.skipIf(isSkipped('promtool'))(
    'passes the checks and unit tests of promtool in docs/operations.md',
    async () => {
      const commands = blockRunBy(import.meta.url, page, 'promtool')
        .trim()
        .split('\n');
      expect(commands).toHaveLength(2);
      for (const command of commands) {
        const [program = '', ...args] = command.split(' ');
        await run(program, ...args);
      }
    },
  );
});

test.skipIf(isSkipped('promtool'))(
  'the Prometheus configuration in docs/operations.md passes promtool',
  async () => {
    const token = await temporaryFile('token', 'a-token\n');
    const configuration = ['scrape_configs', 'rule_files']
      .map((part) => blockRunBy(import.meta.url, page, part))
      .join('')
      .replace('/etc/prometheus/session-launch-metrics-token', token)
      .replace('/etc/prometheus/session-launch-alerts.yml', join(root, 'deploy/prometheus/alerts.yml'));
    const file = await temporaryFile('prometheus.yml', configuration);
    const { stdout } = await run('promtool', 'check', 'config', file);
    expect(stdout).toMatch(/1 rule files found[\s\S]*SUCCESS: \d+ rules found/);
  },
);

test.skipIf(isSkipped('promtool'))('the queries of the Grafana dashboard are valid PromQL', async () => {
  expect(dashboardQueries.length).toBeGreaterThan(20);
  const rules = dashboardQueries.map((query, at) => ({
    record: `query_${at}`,
    expr: query.replaceAll('$__rate_interval', '5m'),
  }));
  const file = await temporaryFile('queries.yml', JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  await run('promtool', 'check', 'rules', file);
});

test.skipIf(isSkipped('systemd-analyze'))('the systemd unit passes systemd-analyze verify', async () => {
  // The paths of an installation do not exist here.
  const unit = readPage('deploy/systemd/session-launch.service').replace('/usr/bin/node', process.execPath);
  const file = await temporaryFile('session-launch.service', unit);
  const { stdout, stderr } = await run('systemd-analyze', 'verify', '--man=no', file);
  // Units of the machine itself may have warnings, too.
  const own = (stdout + stderr).split('\n').filter((line) => line.includes('session-launch'));
  expect(own).toEqual([]);
});

test('the systemd unit and docs/operations.md name the same files, folders and user', () => {
  const unit = readPage('deploy/systemd/session-launch.service');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  const section = readPage(page).split('## Run it with systemd')[1]!.split(/^## /m)[0]!;
  const [node = '', program = ''] = setting('ExecStart').split(' ');
  expect(existsSync(join(root, program))).toBe(true);
  const named = [
    ...[node, setting('WorkingDirectory'), setting('EnvironmentFile')],
    ...[`/var/lib/${setting('StateDirectory')}`, `nologin ${setting('User')}\n`],
  ];
  for (const text of named) expect(section).toContain(text);
  // The commands that run beside the unit use the same program, user and variables.
  const beside = readPage(page).match(/^systemd-run .*$/gm) ?? [];
  expect(beside).toHaveLength(2);
  for (const command of beside) {
    for (const name of ['EnvironmentFile', 'WorkingDirectory'])
      expect(command).toContain(`-p ${name}=${setting(name)} `);
    expect(command).toContain(`--uid=${setting('User')} --gid=${setting('Group')} `);
    expect(command.replace(`${setting('WorkingDirectory')}/server`, 'server')).toContain(
      `${node} ${program} `,
    );
  }
  // The drain, ten seconds for the requests that still run, and a margin.
  const grace = Number(variables.shutdownGraceSeconds.default);
  expect(Number(setting('TimeoutStopSec'))).toBeGreaterThanOrEqual(grace + 15);
});

test.skipIf(isSkipped('systemd-analyze'))('systemd-analyze security rates the unit as safe', async () => {
  const file = await temporaryFile(
    'session-launch.service',
    readPage('deploy/systemd/session-launch.service'),
  );
  // From 0 (everything is restricted) to 10; the command fails above the threshold of 2.0.
  await run('systemd-analyze', 'security', '--offline=true', '--threshold=20', '--no-pager', file);
});
