import { type BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import { type Environment, integer, Reader } from './config-values.ts';
import { examples } from './examples.ts';
import { type LogLevel, variables } from './variables.ts';
import { variablesOfRuntime } from './variables-of-runtime.ts';

export { ConfigError, type ConfigProblem, type Environment } from './config-values.ts';
export type { LogLevel } from './variables.ts';

export interface Config {
  host: string;
  port: number;
  admin: {
    host: string;
    port: number;
    /** Absent: the embedded engine makes a token file; with PostgreSQL the admin API stays off. */
    token?: string | undefined;
    tokenFile: string;
    /** Opens `/metrics` and nothing else. */
    metricsToken?: string | undefined;
  };
  database: { engine: 'embedded'; dataDir: string } | { engine: 'postgres'; url: string };
  /** How long a start waits for PostgreSQL. */
  databaseWaitSeconds: number;
  dataDir: string;
  /** Absent: derived from the address the service really listens on. */
  publicUrl?: string | undefined;
  signingKeysFile: string;
  apiKeyPrefix: string;
  tokenTtlSeconds: number;
  /** What runtimes call. Absent: that API stays off. */
  runtime?: { token?: string | undefined; tokenFile: string; isBeside: boolean } | undefined;
  /** Sessions that the runtime beside this service takes at a time. */
  maxSessions: number;
  /** Where clients find the runtime beside this service. Absent: under the public address. */
  runtimeUrl?: string | undefined;
  /** Absent: sessions are kept for good. */
  sessionRetentionDays?: number | undefined;
  trustProxy?: BlockList | undefined;
  assetsDir: string;
  demo: boolean;
  logLevel: LogLevel;
  /** How long the public listener stays open at most after SIGTERM, for balancers to notice. */
  shutdownGraceSeconds: number;
}

/** What the command line needs to reach a running service. */
export interface ClientConfig {
  adminUrl: string;
  token?: string | undefined;
  tokenFile: string;
}

export const demoProjectFile = join(examples, 'demo.yaml');
const demoAssets = join(examples, 'assets');

/** The only reader of the environment. Everything else receives what it needs as an argument. */
export function readConfig(env: Environment, cwd: string): Config {
  const read = new Reader(env, cwd);
  const values = read.readForService(variables);
  const { adminHost, adminPort, adminToken, databaseUrl, signingKeysFile, assetsDir, demo, ...rest } = values;
  const { runtime, runtimeToken, metricsToken, ...others } = rest;
  const { dataDir } = others;
  const config: Config = {
    ...others,
    maxSessions: 0,
    admin: {
      host: adminHost,
      port: adminPort,
      token: adminToken,
      tokenFile: tokenFile(dataDir),
      metricsToken,
    },
    runtime:
      runtime || runtimeToken !== undefined
        ? {
            token: runtimeToken,
            tokenFile: join(dataDir, 'runtime-token'),
            isBeside: runtime,
          }
        : undefined,
    database:
      databaseUrl === undefined ? { engine: 'embedded', dataDir } : { engine: 'postgres', url: databaseUrl },
    signingKeysFile: signingKeysFile ?? join(dataDir, 'signing-keys.json'),
    assetsDir: assetsDir ?? demoAssets,
    demo: demo ?? databaseUrl === undefined,
  };
  if (!read.isBad(variables.port) && !read.isBad(variables.adminPort) && listenersCollide(config)) {
    read.problems.push({
      variable: variables.adminPort.name,
      got: `${adminPort}${read.isSet(variables.adminPort) ? '' : ' by default'}`,
      wants: 'different from PORT',
    });
  }
  if (runtimeToken !== undefined && runtimeToken === adminToken) {
    read.problems.push({
      variable: variables.runtimeToken.name,
      got: 'the same as ADMIN_TOKEN',
      wants: 'a token of its own, since runtimes must not reach the admin API',
    });
  }
  for (const [name, other] of [
    ['ADMIN_TOKEN', adminToken],
    ['RUNTIME_TOKEN', runtimeToken],
  ]) {
    if (metricsToken === undefined || metricsToken !== other) continue;
    read.problems.push({
      variable: variables.metricsToken.name,
      got: `the same as ${name}`,
      wants: 'a token of its own, since it must open nothing but /metrics',
    });
  }
  if (runtime) checkRuntimeVariables(read);
  read.finish();
  if (runtime) config.maxSessions = read.read(variablesOfRuntime.maxSessions) as number;
  return config;
}

/** For a runtime of its own: it reads its variables itself, but here all that is wrong with them is told. */
export function checkRuntime(env: Environment, cwd: string): void {
  const read = new Reader(env, cwd);
  checkRuntimeVariables(read);
  for (const name of [
    'adminUrl',
    'adminHost',
    'adminPort',
    'logLevel',
    'shutdownGraceSeconds',
    'trustProxy',
  ] as const)
    read.read(variables[name]);
  read.finish();
}

/** What the runtime would stop at: bad values, and engines without an address or a model. */
function checkRuntimeVariables(read: Reader): void {
  for (const variable of Object.values(variablesOfRuntime)) read.read(variable);
  const { mind, speech, hearing, mindUrl, mindModel, speechUrl, speechModel, hearingUrl, hearingModel } =
    variablesOfRuntime;
  for (const [engine, ...needed] of [
    [mind, mindUrl, mindModel],
    [speech, speechUrl, speechModel],
    [hearing, hearingUrl, hearingModel],
  ] as const) {
    if (read.isBad(engine) || read.read(engine) !== 'openai') continue;
    for (const variable of needed.filter((one) => !read.isSet(one)))
      read.problems.push({
        variable: variable.name,
        got: 'unset',
        wants: `set, since ${engine.name} is openai`,
      });
  }
}

/** Whether the admin listener opens: for operators, for runtimes, or for both. */
export function hasAdminListener({ admin, database, runtime }: Config): boolean {
  return admin.token !== undefined || database.engine === 'embedded' || runtime !== undefined;
}

/** Two listeners on one port, where one address is the other or stands for all of the machine. */
function listenersCollide(config: Config): boolean {
  const { host, port, admin } = config;
  if (!hasAdminListener(config) || port === 0 || port !== admin.port) return false;
  return host === admin.host || [host, admin.host].some((address) => address in loopback);
}

export function readClientConfig(env: Environment, cwd: string): ClientConfig {
  const read = new Reader(env, cwd);
  const adminUrl = read.read(variables.adminUrl) ?? adminAddress(read);
  const token = read.read(variables.adminToken);
  const dataDir = read.read(variables.dataDir);
  read.finish();
  return { adminUrl, token, tokenFile: tokenFile(dataDir) };
}

/** How to reach an address that means every one of the machine. */
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** A port that somebody listens on already. */
const knownPort = {
  ...variables.adminPort,
  ...integer(1, 65_535),
  wants:
    'a whole number from 1 to 65535 for the command line (for a port that the service picked itself, set ADMIN_URL to the address that its start printed)',
};

function adminAddress(read: Reader): string {
  const host = read.read(variables.adminHost);
  return `http://${bracketed(loopback[host] ?? host)}:${read.read(knownPort)}`;
}

/** An IPv6 address as it stands in a URL. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function tokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}
