import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Audit {
  code: number | null;
  output: string;
}

/** Runs the audit against a fake registry with this response; without a response, no registry is reachable. */
async function audit(answer?: { status: number; body: string }): Promise<Audit> {
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    const isQuestion = request.url?.endsWith('/advisories/bulk') && answer !== undefined;
    response.writeHead(isQuestion ? answer.status : 404, { 'Content-Type': 'application/json' });
    response.end(isQuestion ? answer.body : '{}');
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const { port } = registry.address() as AddressInfo;
  const home = await mkdtemp(join(tmpdir(), 'session-launch-audit-'));
  if (answer === undefined) registry.close();
  try {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(home, 'cache'),
      npm_config_fetch_retries: '0',
      npm_config_update_notifier: 'false',
    };
    const result = await new Promise<Audit>((resolve) => {
      execFile(process.execPath, ['scripts/audit.mjs'], { cwd: root, env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
      });
    });
    if (answer !== undefined) expect(asked).toContain('POST /-/npm/v1/security/advisories/bulk');
    return result;
  } finally {
    registry.close();
    registry.closeAllConnections();
    await rm(home, { recursive: true, force: true });
  }
}

const advisory = {
  id: 1,
  url: 'https://advisories.example/1',
  title: 'made up',
  severity: 'high',
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 7, vectorString: null },
};

describe('the audit of dependencies', () => {
  test('fails on a known vulnerability of a production dependency', async () => {
    const body = JSON.stringify({ fastify: [advisory], vitest: [advisory] });
    const { code, output } = await audit({ status: 200, body });
    expect(output).toMatch(/audit: fastify .*high/);
    // Development dependencies are ignored.
    expect(output).not.toContain('vitest');
    expect(output).toContain('audit: 1 known vulnerabilities');
    expect(code).toBe(1);
  });

  test('passes when none is known', async () => {
    const { code, output } = await audit({ status: 200, body: '{}' });
    expect(output).toContain('audit: 0 known vulnerabilities');
    expect(code).toBe(0);
  });

  test.each([
    ['there is no network', undefined],
    ['the registry is broken', { status: 500, body: '<html>' }],
  ])('passes, and reports that nothing was checked, when %s', async (_name, answer) => {
    const { code, output } = await audit(answer);
    expect(output).toContain('could not be asked; nothing was checked');
    expect(code).toBe(0);
  });
});
