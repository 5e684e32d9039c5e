// Installs the packed packages in an empty folder and tries them there, without the repository: the service starts, serves its pages, talks,
// and the SDKs work and type-check. Run it with: node scripts/packed.mjs [--node PATH] [--packages FOLDER]
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { packInto } from './pack.mjs';

const { values } = parseArgs({ options: { node: { type: 'string' }, packages: { type: 'string' } } });
const node = resolve(values.node ?? process.execPath);
const folder = mkdtempSync(join(tmpdir(), 'session-launch-packed-'));
// The node binary of choice also runs npm and the shebangs of installed programs.
const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
const env = { PATH, HOME: process.env.HOME, NO_COLOR: '1' };

const run = (program, args, more = {}) =>
  promisify(execFile)(program, args, { cwd: folder, env: { ...env, ...more }, maxBuffer: 64 * 1024 * 1024 });
const write = (name, text) => writeFileSync(join(folder, name), text);
const say = (text) => console.log(`packed: ${text}`);

const backendProgram = `
import { SessionLaunch } from '@session-launch/backend';
import { sessionTokenVerifier } from '@session-launch/backend/verify';
import { createExperience } from '@session-launch/browser';
import { ExperiencePlayer } from '@session-launch/react';
const { URL: baseUrl, KEY: apiKey } = process.env;
const client = new SessionLaunch({ baseUrl, apiKey });
const { launch } = await client.sessions.mint({ experienceId: 'exp_harbor_guide' });
const claims = await sessionTokenVerifier({ issuer: baseUrl })(launch.sessionToken);
const { state } = createExperience({ experienceId: 'exp_harbor_guide', baseUrl });
console.log(claims.sub === launch.sessionId, state, ExperiencePlayer !== undefined);
`;

const consumer = `
import { createRelay, SessionLaunch, toNode } from '@session-launch/backend';
import { type SessionClaims, sessionTokenVerifier } from '@session-launch/backend/verify';
import { createExperience, type Message } from '@session-launch/browser';
import { createExperience as createCore } from '@session-launch/browser/core';
import { ExperiencePlayer, useExperience } from '@session-launch/react';
import { createElement } from 'react';
import { createServer } from 'node:http';
const client = new SessionLaunch({ baseUrl: 'https://launch.example.com', apiKey: 'sl_test_x' });
createServer(toNode(createRelay(client, { authorize: () => ({ userId: 'a' }) }).mint));
export const claims: Promise<SessionClaims> = sessionTokenVerifier({ issuer: 'https://launch.example.com' })('x');
createExperience({ experienceId: 'exp_a' }).on('message', (message: Message) => message.status);
createCore({ experienceId: 'exp_a' });
export const useGuide = () => useExperience({ experienceId: 'exp_a' });
export const player = createElement(ExperiencePlayer, { experienceId: 'exp_a' });
// @ts-expect-error a field that no mint has
void client.sessions.mint({ experienceId: 'exp_a', lokale: 'en' });
`;

async function install() {
  const packages = values.packages === undefined ? folder : resolve(values.packages);
  if (values.packages === undefined) packInto(folder);
  const tarballs = readdirSync(packages).filter((name) => name.endsWith('.tgz'));
  write('package.json', '{ "private": true, "type": "module" }');
  const others = ['react@19', 'typescript@7', '@types/node@20', '@types/react@19'];
  const files = tarballs.map((name) => join(packages, name));
  // With the whole environment: npm may need a proxy or a certificate to reach the registry.
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...files, ...others];
  await run('npm', args, { ...process.env, PATH });
  say(`installed ${tarballs.length} packages: ${tarballs.join(' ')}`);
}

/** Resolves with its addresses once the service prints its summary. */
async function startService() {
  const program = join(folder, 'node_modules', '.bin', 'session-launch');
  const service = spawn(program, ['serve'], {
    cwd: folder,
    env: { ...env, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn', SHUTDOWN_GRACE_SECONDS: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(service, 'exit');
  let output = '';
  const started = (async () => {
    for await (const text of service.stdout.setEncoding('utf8')) {
      output += text;
      if (/API key +\S+[\s\S]*\n\n$/.test(output)) return;
    }
    throw new Error(`the service ended before it was ready: ${output}`);
  })();
  await started;
  // Keeps the pipe empty.
  service.stdout.resume();
  const printed = (name) => new RegExp(`^ *${name} +(\\S+)`, 'm').exec(output)[1];
  return {
    url: printed('Public'),
    adminUrl: printed('Admin'),
    key: printed('API key'),
    async stop() {
      service.kill('SIGTERM');
      const [code, signal] = await exited;
      if (code !== 0) throw new Error(`the service ended with ${code ?? signal}`);
    },
  };
}

async function fetchText(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  const text = await response.text();
  if (!response.ok || text.length === 0) throw new Error(`${url} returned ${response.status}`);
  return text;
}

/** The landing page with every address of this service that it links to or loads, and the console. */
async function checkPages({ url, adminUrl }) {
  const landing = await fetchText(`${url}/`);
  const linked = [...landing.matchAll(/(?:href|src)="([^"#]+)"/g)].map(
    ([, path]) => new URL(path, `${url}/`),
  );
  const own = new Set(linked.filter(({ origin }) => origin === new URL(url).origin).map(({ href }) => href));
  own.add(`${url}/openapi.json`).add(`${url}/sdk/v2/session-launch.js`).add(`${adminUrl}/console/`);
  for (const address of own) await fetchText(address);
  say(`served ${own.size + 1} pages and files`);
}

async function checkSdks({ url, key }) {
  write('backend.mjs', backendProgram);
  const { stdout } = await run(node, ['backend.mjs'], { URL: url, KEY: key });
  if (stdout !== 'true idle true\n') throw new Error(`the SDKs printed ${stdout}`);
  say('the SDKs mint, verify and load');
  write('consumer.ts', consumer);
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const compilerOptions = { strict: true, noEmit: true, target: 'es2023', module, moduleResolution };
    const options = { compilerOptions: { ...compilerOptions, types: ['node'] }, files: ['consumer.ts'] };
    write('tsconfig.json', JSON.stringify(options));
    await run(node, ['node_modules/typescript/bin/tsc', '-p', '.']);
  }
  say('the SDKs type-check');
}

async function talk({ url, adminUrl }) {
  const args = [
    'session-launch',
    'talk',
    'exp_harbor_guide',
    '--text',
    'Hello, who are you?',
    '--out',
    'a.wav',
  ];
  const { stdout } = await run('npx', args, { PUBLIC_URL: url, ADMIN_URL: adminUrl });
  const { size } = statSync(join(folder, 'a.wav'));
  if (size < 50_000) throw new Error(`the character spoke only ${size} bytes: ${stdout}`);
  say(`talked: ${size} bytes of speech, ${JSON.stringify(stdout.trim().split('\n').at(-1).slice(0, 120))}`);
}

try {
  const { stdout } = await run(node, ['--version']);
  say(`Node.js ${stdout.trim()}`);
  await install();
  const service = await startService();
  try {
    await checkPages(service);
    await talk(service);
    await checkSdks(service);
  } finally {
    await service.stop();
  }
  say('passed');
} catch (error) {
  console.error(`packed: failed: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
