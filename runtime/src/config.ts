import { readFileSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { join, resolve } from 'node:path';
import { type RuntimeVariable, runtimeVariables } from '@session-launch/contract/runtime/variables';
import { proxyList } from '@session-launch/process/client-address';
import type { RemoteEngine } from './endpoint.ts';
import type { RealtimeEngine } from './realtime/partner.ts';
import type { TokenSource } from './sockets/token.ts';
import type { SpeechEngine } from './speech/openai.ts';

export type Environment = Record<string, string | undefined>;

export interface Config {
  host: string;
  port: number;
  adminUrl: string;
  token: string;
  /** Absent: only the service verifies session tokens. */
  tokens?: TokenSource | undefined;
  /** Trusted proxies for `X-Forwarded-For`, for a runtime with its own listener. */
  trustProxy?: BlockList | undefined;
  dataDir: string;
  logLevel: string;
  maxSessions: number;
  resumeSeconds: number;
  shutdownGraceSeconds: number;
  mind: { kind: 'script' } | ({ kind: 'openai' } & RemoteEngine) | ({ kind: 'realtime' } & RealtimeEngine);
  speech:
    | { kind: 'flite'; espeak: EspeakProgram }
    | ({ kind: 'openai' } & SpeechEngine)
    | { kind: 'captions' };
  hearing: { kind: 'local' } | { kind: 'page' } | ({ kind: 'openai' } & RemoteEngine) | { kind: 'off' };
}

/** eSpeak NG. Without a program it is not used. */
export interface EspeakProgram {
  program: string | undefined;
  /** The operator named it, so that it must exist. */
  isNamed: boolean;
}

/** All problems of the configuration, one sentence each. */
export class ConfigError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Reads the configuration. No other module reads the environment. The service validates the variables before it starts this process: only
 * problems that it cannot see are reported here.
 */
export function readConfig(env: Environment, cwd: string): Config {
  const problems: string[] = [];
  const written = (name: string) => env[name]?.trim() || undefined;
  const read = (variable: RuntimeVariable) => written(variable.name) ?? variable.default;
  const v = runtimeVariables;
  const engine = (url: RuntimeVariable, model: RuntimeVariable, key: RuntimeVariable) => {
    const endpoint = { url: (read(url) ?? '').replace(/\/+$/, ''), apiKey: read(key) };
    return { kind: 'openai' as const, endpoint, model: read(model) ?? '' };
  };
  const dataDir = resolve(cwd, written('DATA_DIR') ?? './data');
  const named = written('TRUST_PROXY');
  const trustProxy = named === undefined ? undefined : proxyList(named);
  if (named !== undefined && trustProxy === undefined)
    problems.push('TRUST_PROXY must be a comma-separated list of IP addresses or CIDR ranges');
  const [mind, speech, hearing] = [read(v.mind), read(v.speech), read(v.hearing)];
  const config: Config = {
    host: read(v.host)!,
    port: Number(read(v.port)),
    adminUrl: adminUrl(written),
    token: written('RUNTIME_TOKEN') ?? tokenIn(dataDir) ?? '',
    tokens: tokenSource(written('PUBLIC_URL'), read(v.jwksUrl)),
    trustProxy,
    dataDir,
    logLevel: written('LOG_LEVEL') ?? 'info',
    maxSessions: Number(read(v.maxSessions)),
    resumeSeconds: Number(read(v.resumeSeconds)),
    shutdownGraceSeconds: Number(written('SHUTDOWN_GRACE_SECONDS') ?? 5),
    mind:
      mind === 'openai'
        ? engine(v.mindUrl, v.mindModel, v.mindApiKey)
        : mind === 'realtime'
          ? { kind: 'realtime', ...realtimeEngine(read) }
          : { kind: 'script' },
    speech:
      speech === 'openai'
        ? { ...engine(v.speechUrl, v.speechModel, v.speechApiKey), voice: read(v.speechVoice) }
        : speech === 'captions'
          ? { kind: 'captions' }
          : { kind: 'flite', espeak: espeakProgram(written(v.espeak.name)) },
    hearing:
      hearing === 'openai'
        ? engine(v.hearingUrl, v.hearingModel, v.hearingApiKey)
        : hearing === undefined || hearing === 'local'
          ? { kind: 'local' }
          : { kind: hearing === 'off' ? 'off' : 'page' },
  };
  if (config.token === '')
    problems.push(
      'RUNTIME_TOKEN is missing: set it to the token of the service, which is in its DATA_DIR/runtime-token',
    );
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function espeakProgram(named: string | undefined): EspeakProgram {
  const program = named ?? runtimeVariables.espeak.default;
  return { program: program === 'off' ? undefined : program, isNamed: named !== undefined };
}

function realtimeEngine(read: (variable: RuntimeVariable) => string | undefined): RealtimeEngine {
  const v = runtimeVariables;
  const list = (variable: RuntimeVariable) =>
    (read(variable) ?? '').split(',').flatMap((name) => name.trim() || []);
  return {
    url: read(v.realtimeUrl) ?? '',
    apiKey: read(v.realtimeApiKey),
    model: read(v.realtimeModel) ?? '',
    voice: read(v.realtimeVoice),
    transcriptionModel: read(v.realtimeTranscriptionModel)!,
    models: list(v.realtimeModels),
    voices: list(v.realtimeVoices),
  };
}

function adminUrl(written: (name: string) => string | undefined): string {
  const host = written('ADMIN_HOST') ?? '127.0.0.1';
  const reachable =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return (written('ADMIN_URL') ?? `http://${reachable}:${written('ADMIN_PORT') ?? 8081}`).replace(/\/+$/, '');
}

function tokenSource(publicUrl: string | undefined, jwksUrl: string | undefined): TokenSource | undefined {
  const issuer = publicUrl?.replace(/\/+$/, '');
  return issuer === undefined ? undefined : { issuer, jwksUrl: jwksUrl ?? `${issuer}/.well-known/jwks.json` };
}

function tokenIn(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, 'runtime-token'), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
