import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { readPage } from './pages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export const version: string = JSON.parse(readPage('package.json')).version;

interface ComposeService {
  image: string;
  user?: string;
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
  environment: Record<string, string>;
  secrets?: string[];
  tmpfs?: string[];
  ports?: string[];
  networks: Record<string, { ipv4_address?: string }>;
}

export interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
}

/** compose.yaml with its anchors merged, the given variables, and the defaults of all others. */
export function readCompose(variables: Record<string, string> = {}): Compose {
  const use = (text: string) =>
    text.replaceAll(
      /\$\{(\w+):-([^${}]*)\}/g,
      (_, name: string, otherwise: string) => variables[name] ?? otherwise,
    );
  // Twice, since a default may contain another variable.
  return parse(use(use(readPage('compose.yaml'))), { merge: true });
}

// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds, of which each test reads a few fields.
export type Manifest = any;

export const kustomization: Manifest = parse(readPage('deploy/kubernetes/kustomization.yaml'));
export const kubernetesFiles = readdirSync(join(root, 'deploy', 'kubernetes')).filter((name) =>
  name.endsWith('.yaml'),
);

/** Every object of the listed files. */
export const manifests: Manifest[] = kustomization.resources.flatMap((name: string) =>
  parseAllDocuments(readPage(`deploy/kubernetes/${name}`)).map((document) => document.toJS()),
);

export const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);

/** The variables of a file of lines NAME=value. */
export function readEnvironment(path: string): Record<string, string> {
  const lines = readPage(path)
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Runs deploy/secrets.sh and returns the content of each file. */
export async function createSecrets(
  folder: string,
  host: string,
  env = process.env,
): Promise<Record<string, string>> {
  await promisify(execFile)('/bin/sh', [join(root, 'deploy', 'secrets.sh'), folder, host], { env });
  const files = readdirSync(folder).map(async (name) => [
    name,
    (await readFile(join(folder, name), 'utf8')).trimEnd(),
  ]);
  return Object.fromEntries(await Promise.all(files));
}
