import type { ExperienceOptions, Launch, MintFields } from '../types.ts';
import { requiredServiceUrl, serviceUrl } from './service-url.ts';

/** The validated source of launches. */
export type CheckedSource =
  | {
      to: 'browser' | 'public' | 'relay';
      url: string;
      experienceId: string;
      /** Where to ask for the availability; not for relays. */
      availabilityUrl?: string;
      /** Only for relays. */
      init?: (() => RequestInit | Promise<RequestInit>) | undefined;
      userId?: string | undefined;
    }
  | { mint(fields: MintFields, call: { idempotencyKey: string; signal: AbortSignal }): Promise<Launch> }
  | { launch: Launch };

export type Checked = Pick<
  ExperienceOptions,
  'check' | 'leaveUrl' | 'signal' | 'transports' | 'renderers' | 'log'
> & {
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
  const { experienceId, relayUrl, relayInit, userId, door: endpoint, mint, launch, baseUrl } = options;
  const given = [experienceId, mint, launch].filter((value) => value !== undefined).length;
  const isTwofold = relayUrl !== undefined && endpoint !== undefined;
  if (given !== 1 || isTwofold || (experienceId === undefined && (relayUrl ?? endpoint) !== undefined))
    throw new TypeError('pass experienceId (with door or relayUrl), mint or launch');
  if (mint !== undefined) {
    if (typeof mint !== 'function') throw new TypeError('mint must be a function');
    return { mint: mint as Extract<CheckedSource, { mint: unknown }>['mint'] };
  }
  if (launch !== undefined) {
    if (Object(launch) !== launch) throw new TypeError('launch must be an object');
    return { launch: launch as Launch };
  }
  if (typeof experienceId !== 'string' || !experienceId.startsWith('exp_'))
    throw new TypeError('experienceId must start with exp_');
  if (relayUrl !== undefined)
    return {
      to: 'relay',
      url: String(relayUrl),
      init: relayInit as () => RequestInit,
      experienceId,
      userId: userId as string | undefined,
    };
  const to = endpoint ?? 'browser';
  if (to !== 'browser' && to !== 'public') throw new TypeError('door must be "browser" or "public"');
  const api = `${requiredServiceUrl(baseUrl as string | undefined)}/v1/`;
  const availabilityUrl = `${api}experiences/${experienceId}/availability?door=${to}`;
  return { to, url: `${api}${to}-sessions`, experienceId, availabilityUrl };
}
