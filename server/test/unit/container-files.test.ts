import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { allVariables } from '../../src/config/variables.ts';
import { parseSigningKeys } from '../../src/tokens/signing-keys.ts';
import { createSecrets, readCompose, version } from '../harness/deployment-files.ts';
import { readPage } from '../harness/pages.ts';

const dockerfile = readPage('Dockerfile');
const program = readPage('deploy/container/session-launch');
/** Variables that the command of the image reads from files. */
const fromFiles = /^for name in (.*); do$/m.exec(program)?.[1]?.split(' ') ?? [];
const defaultOf = (name: string) => allVariables.find((variable) => variable.name === name)?.default;

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-container-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('Dockerfile', () => {
  const final = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

  test('labels the image with the version, and runs as a numeric user without privileges', () => {
    expect(final).toContain(`ARG VERSION=${version}\n`);
    expect(final).toMatch(/^USER [1-9]\d+:[1-9]\d+$/m);
    expect(final).toContain('ENTRYPOINT ["session-launch"]\nCMD ["serve"]');
  });

  test('exposes the ports of the service, and checks its health there', () => {
    expect(final).toContain(`EXPOSE ${defaultOf('PORT')} ${defaultOf('ADMIN_PORT')}\n`);
    expect(final).toMatch(
      new RegExp(`HEALTHCHECK .*\\\\\\n.*process\\.env\\.PORT \\|\\| ${defaultOf('PORT')}\\}/healthz`),
    );
  });

  test('sets variables of the service only', () => {
    const [, line = ''] = /^ENV (.*)$/m.exec(final) ?? [];
    const names = line.split(' ').map((pair) => pair.split('=')[0]);
    const known = ['NODE_ENV', ...allVariables.map(({ name }) => name)];
    expect(names.filter((name) => !known.includes(name!))).toEqual([]);
  });

  test('installs the service and every package of ours that it depends on', () => {
    const folders = /for folder in (.*?); do/.exec(dockerfile)?.[1]?.split(' ') ?? [];
    const manifests = folders.map((folder) => JSON.parse(readPage(`${folder}/package.json`)));
    const needed = manifests
      .flatMap(({ dependencies, optionalDependencies }) =>
        Object.keys({ ...dependencies, ...optionalDependencies }),
      )
      .filter((name) => name.startsWith('@session-launch/'));
    expect(manifests.map(({ name }) => name).sort()).toEqual([...new Set(needed), 'session-launch'].sort());
  });
});

describe('the command of the image', () => {
  test('reads every secret variable from a file', () => {
    const secret = allVariables.filter((variable) => variable.secret === 'whole').map(({ name }) => name);
    expect([...fromFiles].sort()).toEqual([...secret, 'DATABASE_URL'].sort());
  });

  /** The command with its secrets in a folder, and with a program that prints two variables and its arguments. */
  async function prepared(): Promise<{ folder: string; run(env: NodeJS.ProcessEnv): Promise<string> }> {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'secrets'));
    await writeFile(join(folder, 'secrets', 'ADMIN_TOKEN'), 'from the file\n');
    await writeFile(join(folder, 'secrets', 'METRICS_TOKEN'), 'from the file\n');
    await writeFile(
      join(folder, 'print.mjs'),
      'console.log(process.env.ADMIN_TOKEN, process.env.METRICS_TOKEN, process.argv.slice(2));',
    );
    const script = program
      .replace('/run/secrets/', join(folder, 'secrets', '/'))
      .replace('exec node /app/server/bin/session-launch.js', `exec '${process.execPath}' print.mjs`);
    await writeFile(join(folder, 'session-launch'), script);
    const run = async (env: NodeJS.ProcessEnv) =>
      (await promisify(execFile)('/bin/sh', ['session-launch', 'keys', 'list'], { cwd: folder, env })).stdout;
    return { folder, run };
  }

  test('sets variables from files unless they are set, and passes its arguments', async () => {
    const { run } = await prepared();
    expect(await run({ PATH: process.env.PATH, METRICS_TOKEN: 'from the environment' })).toBe(
      "from the file from the environment [ 'keys', 'list' ]\n",
    );
  });

  test('exits and names the file if a secret cannot be read', async () => {
    const { folder, run } = await prepared();
    // The superuser can read every file, so the program that reads it fails.
    await writeFile(join(folder, 'cat'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await expect(run({ PATH: `${folder}:${process.env.PATH}` })).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^session-launch: \S+ADMIN_TOKEN cannot be read by user \d+\n$/),
    });
  });
});

describe('compose.yaml', () => {
  const { services, secrets } = readCompose();
  const processes = [services['launch-1']!, services['launch-2']!];

  test('runs two processes with the image of this version, read-only, without capabilities and not as root', () => {
    for (const { image, read_only, cap_drop, user } of [...processes, services.migrate!]) {
      expect(image).toBe(`session-launch:${version}`);
      expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
      expect(user).toMatch(/^[1-9]\d+:[1-9]\d+$/);
    }
    expect(services.migrate!.command).toEqual(['migrate']);
  });

  test('the public address has the published port', () => {
    const { services: others } = readCompose({ PUBLIC_PORT: '9000' });
    expect(others.nginx!.ports).toEqual(['9000:8080']);
    expect(others['launch-1']!.environment.PUBLIC_URL).toBe('http://localhost:9000');
    expect(processes[0]!.environment.PUBLIC_URL).toBe('http://localhost:8080');
  });

  test('waits longer for a stop than the service takes', () => {
    for (const { stop_grace_period, environment } of processes)
      expect(Number.parseInt(stop_grace_period!, 10)).toBeGreaterThanOrEqual(
        Number(environment.SHUTDOWN_GRACE_SECONDS) + 15,
      );
  });

  test('trusts the address of nginx, and publishes the admin port on loopback only', () => {
    const { ipv4_address } = services.nginx!.networks.internal!;
    for (const { environment } of processes) expect(environment.TRUST_PROXY).toBe(ipv4_address);
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['127.0.0.1:8081:8081', '8080:8080']);
  });

  test('every secret of the service is a file that its command reads, or the signing keys', () => {
    const names = processes[0]!.secrets!;
    expect(names.filter((name) => !fromFiles.includes(name))).toEqual(['signing-keys.json']);
    expect(processes[0]!.environment.SIGNING_KEYS_FILE).toBe('/run/secrets/signing-keys.json');
    expect([...names, 'POSTGRES_PASSWORD'].sort()).toEqual(Object.keys(secrets).sort());
  });

  test('its nginx is configured as the public part of the tested example, without TLS', () => {
    const directives = (text: string) =>
      text.replaceAll(/^\s*#.*\n|^\s*(listen|ssl_\w+|server_name) .*\n|\n(?=\n)/gm, '');
    const [publicPart = ''] = readPage('examples/proxy/nginx.conf').split('# The console');
    const example = directives(publicPart)
      .replaceAll('10.0.0.11:', 'launch-1:')
      .replaceAll('10.0.0.12:', 'launch-2:')
      // The port is not the default one.
      .replace('proxy_set_header Host $host;', 'proxy_set_header Host $http_host;');
    expect(directives(readPage('deploy/compose/nginx.conf')).trim()).toBe(example.trim());
  });

  // The openssl of macOS does not know Ed25519.
  describe.skipIf(platform() !== 'linux')('deploy/secrets.sh', () => {
    let folder: string;
    let created: Record<string, string>;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'session-launch-secrets-'));
      created = await createSecrets(folder, 'postgres');
      return () => rm(folder, { recursive: true });
    });

    test('creates every secret of compose.yaml, readable only by its owner, and keeps existing files', async () => {
      expect(Object.keys(created).sort()).toEqual(Object.keys(secrets).sort());
      for (const name of Object.keys(created))
        expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
      expect(await createSecrets(folder, 'postgres')).toEqual(created);
    });

    test('replaces an empty file, and creates nothing without openssl', async () => {
      await writeFile(join(folder, 'METRICS_TOKEN'), '');
      const again = await createSecrets(folder, 'postgres');
      expect(again.METRICS_TOKEN).toMatch(/^[0-9a-f]{64}$/);
      expect({ ...again, METRICS_TOKEN: created.METRICS_TOKEN }).toEqual(created);
      const [bin, other] = [await temporaryFolder(), await temporaryFolder()];
      for (const name of ['cat', 'mkdir', 'mv']) await symlink(`/bin/${name}`, join(bin, name));
      await expect(createSecrets(other, 'postgres', { PATH: bin })).rejects.toMatchObject({ code: 127 });
      expect(await readdir(other)).toEqual([]);
    });

    test('creates signing keys and a configuration that the service accepts', async () => {
      const { 'signing-keys.json': keys, POSTGRES_PASSWORD, ...variables } = created;
      expect((await parseSigningKeys(keys!, 'signing-keys.json')).all).toHaveLength(1);
      const config = readConfig({ ...processes[0]!.environment, ...variables }, folder);
      expect(config.database).toEqual({
        engine: 'postgres',
        url: `postgres://session_launch:${POSTGRES_PASSWORD}@postgres:5432/session_launch`,
      });
    });
  });
});
