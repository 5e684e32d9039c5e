import type { ExperienceOptions, Launch, MintFields } from '../types.ts';
import { requiredServiceUrl, serviceUrl } from './home.ts';

/** The validated source of launches. */
export type CheckedSource =
  | { kind: 'door'; door: 'browser' | 'public'; url: string; experienceId: string }
  | {
      kind: 'relay';
      url: string;
      init?: (() => RequestInit | Promise<RequestInit>) | undefined;
      experienceId: string;
      userId?: string | undefined;
    }
  | {
      kind: 'callback';
      mint: (fields: MintFields, call: { idempotencyKey: string; signal: AbortSignal }) => Promise<Launch>;
    }
  | { kind: 'launch'; launch: Launch };

export type Checked = Pick<ExperienceOptions, 'leaveUrl' | 'signal' | 'transports' | 'renderers' | 'log'> & {
  source: CheckedSource;
  fields: MintFields;
  baseUrl: string | undefined;
};

const mintFields = [
  'locale',
  'secondaryLocale',
  'learningLocale',
  'mode',
  'speechInputMode',
  'speechOnly',
  'language',
] as const satisfies (keyof MintFields)[];

/** Validates the options; throws a TypeError if they are not valid. Sends no request and has no side effects. */
export function check(options: ExperienceOptions): Checked {
  const fields: Record<string, unknown> = {};
  for (const name of mintFields) if (options[name] !== undefined) fields[name] = options[name];
  const source = checkSource(options as unknown as Record<string, unknown>);
  return { ...options, source, fields: fields as MintFields, baseUrl: serviceUrl(options.baseUrl) };
}

function checkSource(options: Record<string, unknown>): CheckedSource {
  const { experienceId, relayUrl, relayInit, userId, door, mint, launch, baseUrl } = options;
  const given = [experienceId, mint, launch].filter((value) => value !== undefined).length;
  if (given !== 1 || (experienceId === undefined && (relayUrl ?? door) !== undefined))
    throw new TypeError('give exactly one of experienceId (and its door or relayUrl), mint and launch');
  if (mint !== undefined) {
    if (typeof mint !== 'function') throw new TypeError('mint must be a function');
    return { kind: 'callback', mint: mint as Extract<CheckedSource, { kind: 'callback' }>['mint'] };
  }
  if (launch !== undefined) {
    if (typeof launch !== 'object' || launch === null) throw new TypeError('launch must be an object');
    return { kind: 'launch', launch: launch as Launch };
  }
  if (typeof experienceId !== 'string' || !experienceId.startsWith('exp_'))
    throw new TypeError('experienceId must start with exp_');
  if (relayUrl !== undefined) {
    if (door !== undefined) throw new TypeError('give door or relayUrl, not both');
    return {
      kind: 'relay',
      url: String(relayUrl),
      init: relayInit as () => RequestInit,
      experienceId,
      userId: userId as string | undefined,
    };
  }
  if (door !== undefined && door !== 'browser' && door !== 'public')
    throw new TypeError('door must be "browser" or "public"');
  const url = requiredServiceUrl(baseUrl as string | undefined);
  return { kind: 'door', door: door ?? 'browser', url, experienceId };
}

/** The preferred language of the browser as a canonical BCP 47 tag; undefined if it is not valid. */
export function browserLocale(): string | undefined {
  const [first] = globalThis.navigator?.languages ?? [];
  try {
    // Some systems append a non-standard modifier: en-US@posix.
    return first === undefined ? undefined : Intl.getCanonicalLocales(first.replace(/@.*$/, ''))[0];
  } catch {
    return undefined;
  }
}
