import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { version } from '../harness/deployment-files.ts';
import { readPage } from '../harness/pages.ts';

interface Step {
  uses?: string;
  run?: string;
}

interface Job {
  uses?: string;
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  strategy?: { matrix: { node: number[] } };
  steps?: Step[];
}

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const manifest = JSON.parse(readPage('package.json'));

describe.each(['ci', 'release'])('.github/workflows/%s.yml', (name) => {
  const { permissions, jobs }: Workflow = parse(readPage(`.github/workflows/${name}.yml`));
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
  const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run])).join('\n');

  test('reads the repository by default, and each job has a time limit', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const [job, { uses, 'timeout-minutes': minutes }] of Object.entries(jobs))
      if (uses === undefined) expect(minutes, job).toBeGreaterThan(0);
  });

  test('pins every action to a major version', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((action) => !/^(actions|docker)\/[\w-]+@v\d+$/.test(action))).toEqual([]);
  });

  test('names scripts and files that exist', () => {
    const files = [...commands.matchAll(/(?:scripts|deploy)\/[\w./-]+\.(?:mjs|sh)|\.ci\/run/g)].map(String);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files)
      expect(existsSync(new URL(`../../../${file}`, import.meta.url)), file).toBe(true);
    for (const [, script] of commands.matchAll(/npm run ([\w:-]+)/g))
      expect(manifest.scripts).toHaveProperty(script!);
  });
});

test('ci runs .ci/run on Linux x64 and arm64 and on macOS, and the packages, with every supported Node.js', () => {
  const text = readPage('.github/workflows/ci.yml');
  const { jobs }: Workflow = parse(text);
  for (const name of ['linux', 'macos', 'packages'])
    expect(jobs[name]!.strategy!.matrix.node, name).toEqual([20, 22, 24]);
  for (const name of ['linux', 'macos']) expect(jobs[name]!.steps!.at(-1)).toEqual({ run: '.ci/run' });
  for (const runner of ['ubuntu-24.04', 'ubuntu-24.04-arm', 'macos-15']) expect(text).toContain(runner);
  expect(text).toContain(`session-launch:${version}`);
});

test('a release publishes with provenance, and only those jobs may write that publish', () => {
  const { jobs }: Workflow = parse(readPage('.github/workflows/release.yml'));
  const writers = Object.entries(jobs).filter(([, job]) =>
    Object.values(job.permissions ?? {}).includes('write'),
  );
  expect(writers.map(([name]) => name)).toEqual(['npm', 'image', 'github']);
  expect(readPage('scripts/publish.mjs')).toContain("'--provenance'");
});

test('the changelog has a section about this version', () => {
  expect(readPage('CHANGELOG.md')).toMatch(
    new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
  );
});
