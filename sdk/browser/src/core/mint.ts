import type { Launch, MintFields } from '../types.ts';
import { aborted, ExperienceError } from './experience-error.ts';
import { browserLocale } from './locale.ts';
import { type Launched, readLaunch } from './manifest.ts';
import type { CheckedSource } from './options.ts';
import { pause, type RequestDeps, send } from './request.ts';
import { retryDelays } from './retries.ts';

export interface MintDeps extends RequestDeps {
  now(): number;
  newKey(): string;
}

/**
 * Mints one launch. Retries send the same idempotency key and the same body. If the signal is aborted while a request is in flight,
 * waits for the response and passes its launch to `late`, so that the caller can end the session that was created.
 */
export async function mint(
  deps: MintDeps,
  source: Exclude<CheckedSource, { launch: Launch }>,
  given: MintFields,
  signal: AbortSignal,
  late: (launched: Launched) => void,
): Promise<Launched> {
  // Wait one macrotask, so that React StrictMode's mount/unmount/mount sends a single request.
  await pause(deps, 0, signal);
  const key = deps.newKey();
  const locale = given.locale ?? browserLocale();
  const fields: MintFields = locale ? { ...given, locale } : given;
  const ask = asking(deps, source, fields, key, signal);
  const delayAfter = retryDelays('to' in source && source.to !== 'public');
  for (;;) {
    try {
      const launch = await ask();
      const launched = readLaunch(launch, deps.now());
      if (!signal.aborted) return launched;
      late(launched);
      throw aborted();
    } catch (error) {
      if (signal.aborted) throw aborted();
      const wait = error instanceof ExperienceError ? delayAfter(error) : undefined;
      if (wait === undefined) throw error;
      await pause(deps, wait, signal);
    }
  }
}

function asking(
  deps: MintDeps,
  source: Exclude<CheckedSource, { launch: Launch }>,
  fields: MintFields,
  key: string,
  signal: AbortSignal,
): () => Promise<Launch> {
  if ('mint' in source)
    return async () => {
      try {
        return await source.mint({ ...fields }, { idempotencyKey: key, signal });
      } catch (cause) {
        if (cause instanceof ExperienceError) throw cause;
        throw new ExperienceError('RELAY_FAILED', 'The page got no launch.', { cause, retryable: true });
      }
    };
  const { to, url, experienceId, userId } = source;
  const body = JSON.stringify({ experienceId, ...fields, userId });
  return async () => {
    const own = await source.init?.();
    const headers = new Headers(own?.headers);
    headers.set('Content-Type', 'application/json');
    // The public endpoint does not support idempotency keys, and its CORS preflight does not allow the header.
    if (to !== 'public') headers.set('Idempotency-Key', key);
    const credentials = to === 'relay' ? 'same-origin' : 'omit';
    const init: RequestInit = { credentials, cache: 'no-store', ...own, method: 'POST', headers, body };
    return send(deps, { url, to, init });
  };
}
