import type { SessionManifest } from './contract.ts';

const hidden = '[hidden]';
/** What console.log and util.inspect ask for; Bun asks for the first one, too. */
const nodeInspect = Symbol.for('nodejs.util.inspect.custom');
const denoInspect = Symbol.for('Deno.customInspect');

/** Hides the token from logs. JSON.stringify keeps it, because that is how a relay hands it on. */
export function hideToken(launch: SessionManifest): SessionManifest {
  const shown = () => ({ ...launch, sessionToken: hidden });
  return Object.defineProperties(launch, {
    [nodeInspect]: { value: shown },
    [denoInspect]: {
      value: (inspect: (value: unknown, options: unknown) => string, options: unknown) =>
        inspect(shown(), options),
    },
  });
}

/**
 * A copy of a JSON value without the key and without bearer tokens, in texts and in names of fields: proxies and test
 * servers quote requests in their answers.
 */
export function redacted(value: unknown, key: string): unknown {
  if (typeof value === 'string')
    return value.replaceAll(key, hidden).replace(/\bBearer\s+[\w.~+/=-]+/gi, `Bearer ${hidden}`);
  if (Array.isArray(value)) return value.map((item) => redacted(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redacted(name, key), redacted(item, key)]),
  );
}

/**
 * What went wrong below, without the key. Libraries that stand in for fetch put whole requests into their errors, so the
 * error itself is not kept.
 */
export function withoutKey(error: unknown, key: string): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  const cause = withoutKey(error.cause, key);
  const copy = new Error(error.message.replaceAll(key, hidden), cause && { cause });
  // Where it was thrown: inside fetch, which tells nobody anything.
  delete copy.stack;
  return Object.assign(copy, typeof code === 'string' ? { code } : {});
}
