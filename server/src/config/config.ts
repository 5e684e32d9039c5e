import { type BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import type { Role } from '@session-launch/contract/roles';
import type { LivekitKeys } from '../transports/livekit-token.ts';
import { examples } from './examples-folder.ts';
import { variablesOfRuntime } from './runtime-variables.ts';
import { type Environment, integer, Reader } from './values.ts';
import { type LogLevel, variables } from './variables.ts';

export { ConfigError, type ConfigProblem, type Environment } from './values.ts';
export type { LogLevel } from './variables.ts';

/** How operators sign in through an identity provider. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The claim that holds the role, as a text or a list of texts. */
  roleClaim: string;
  /** The role of people without that claim. Absent: they are refused. */
  defaultRole?: Role | undefined;
}

export interface Config {
  host: string;
  port: number;
  admin: {
    host: string;
    port: number;
    /** Absent: the embedded engine creates a token file; with PostgreSQL the admin API is off. */
    token?: string | undefined;
    tokenFile: string;
    /** Valid only for `/metrics`. */
    metricsToken?: string | undefined;
    /** The address at which browsers and the command line reach the admin listener. */
    url?: string | undefined;
  };
  /** The identity provider through which operators sign in. */
  oidc?: OidcSettings | undefined;
  auditRetentionDays: number;
  database: { engine: 'embedded'; dataDir: string } | { engine: 'postgres'; url: string };
  /** How long a start waits for PostgreSQL. */
  databaseWaitSeconds: number;
  dataDir: string;
  /** Absent: derived from the listener's address. */
  publicUrl?: string | undefined;
  signingKeysFile: string;
  apiKeyPrefix: string;
  tokenTtlSeconds: number;
  /** The API for runtimes. Absent: it is off. */
  runtime?: { token?: string | undefined; tokenFile: string; isIncluded: boolean } | undefined;
  /** Maximum concurrent sessions of the included runtime. */
  maxSessions: number;
  /** URL of the included runtime. Absent: below the public URL. */
  runtimeUrl?: string | undefined;
  /** Absent: sessions are kept indefinitely. */
  sessionRetentionDays?: number | undefined;
  /** Absent: experiences with the transport livekit cannot be launched. */
  livekit?: LivekitKeys | undefined;
  trustProxy?: BlockList | undefined;
  /** Whether requests to addresses that users choose may go to loopback and private addresses. */
  webhookAllowPrivate: boolean;
  assetsDir: string;
  demo: boolean;
  logLevel: LogLevel;
  /** Maximum seconds that the public listener stays open after SIGTERM, so that load balancers notice. */
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

/** Reads the configuration of the service from environment variables. Other code receives its settings as arguments. */
export function readConfig(env: Environment, cwd: string): Config {
  const read = new Reader(env, cwd);
  const values = read.readForService(variables);
  const { adminHost, adminPort, adminToken, databaseUrl, signingKeysFile, assetsDir, demo, ...rest } = values;
  const { runtime, runtimeToken, metricsToken, adminUrl, ...withOidc } = rest;
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcRoleClaim, oidcDefaultRole, ...withLivekit } =
    withOidc;
  const { livekitApiKey: apiKey, livekitApiSecret: apiSecret, ...others } = withLivekit;
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
      url: adminUrl,
    },
    oidc:
      oidcIssuer !== undefined && oidcClientId !== undefined && oidcClientSecret !== undefined
        ? {
            issuer: oidcIssuer,
            clientId: oidcClientId,
            clientSecret: oidcClientSecret,
            roleClaim: oidcRoleClaim,
            defaultRole: oidcDefaultRole,
          }
        : undefined,
    livekit: apiKey !== undefined && apiSecret !== undefined ? { apiKey, apiSecret } : undefined,
    runtime:
      runtime || runtimeToken !== undefined
        ? {
            token: runtimeToken,
            tokenFile: join(dataDir, 'runtime-token'),
            isIncluded: runtime,
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
      wants: 'a separate token, since runtimes must not have access to the admin API',
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
      wants: 'a separate token, since it must give access only to /metrics',
    });
  }
  needTogether(read, [variables.oidcIssuer, variables.oidcClientId, variables.oidcClientSecret]);
  needTogether(read, [variables.livekitApiKey, variables.livekitApiSecret]);
  if (runtime) checkRuntimeVariables(read);
  read.finish();
  if (runtime) config.maxSessions = read.read(variablesOfRuntime.maxSessions) as number;
  return config;
}

/** Variables of which all or none are set. */
function needTogether(read: Reader, needed: readonly { name: string }[]): void {
  const set = needed.find((one) => read.isSet(one));
  if (set === undefined) return;
  for (const { name } of needed.filter((one) => !read.isSet(one)))
    read.problems.push({ variable: name, got: 'unset', wants: `set, since ${set.name} is set` });
}

/** Checks the variables of a standalone runtime. The runtime reads them itself; this reports every problem at once. */
export function checkRuntime(env: Environment, cwd: string): void {
  const read = new Reader(env, cwd);
  checkRuntimeVariables(read);
  for (const name of [
    'publicUrl',
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

/** Problems at which the runtime would exit: invalid values, and engines without a URL or model. */
function checkRuntimeVariables(read: Reader): void {
  for (const variable of Object.values(variablesOfRuntime)) read.read(variable);
  const v = variablesOfRuntime;
  for (const [engine, value, ...needed] of [
    [v.mind, 'openai', v.mindUrl, v.mindModel],
    [v.mind, 'realtime', v.realtimeUrl, v.realtimeModel],
    [v.speech, 'openai', v.speechUrl, v.speechModel],
    [v.hearing, 'openai', v.hearingUrl, v.hearingModel],
  ] as const) {
    if (read.isBad(engine) || read.read(engine) !== value) continue;
    for (const variable of needed.filter((one) => !read.isSet(one)))
      read.problems.push({
        variable: variable.name,
        got: 'unset',
        wants: `set, since ${engine.name} is ${value}`,
      });
  }
}

/** Whether the admin listener opens: for operators, for runtimes, or for both. */
export function hasAdminListener({ admin, database, runtime }: Config): boolean {
  return admin.token !== undefined || database.engine === 'embedded' || runtime !== undefined;
}

/** Whether two listeners would use the same port on the same or an overlapping address. */
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

/** The loopback address by which a wildcard address is reached. */
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** ADMIN_PORT for the command line, which cannot connect to port 0. */
const knownPort = {
  ...variables.adminPort,
  ...integer(1, 65_535),
  wants:
    'a whole number from 1 to 65535 for the command line (if the service selected a free port, set ADMIN_URL to the address printed at its start)',
};

function adminAddress(read: Reader): string {
  const host = read.read(variables.adminHost);
  return `http://${bracketed(loopback[host] ?? host)}:${read.read(knownPort)}`;
}

/** Puts an IPv6 address in brackets for a URL. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function tokenFile(dataDir: string): string {
  return join(dataDir, 'admin-token');
}
