import type { SessionManifest } from './contract.ts';

const hidden = '[hidden]';
/** Methods that console.log and util.inspect call to format an object. Bun supports the Node.js symbol, too. */
const nodeInspect = Symbol.for('nodejs.util.inspect.custom');
const denoInspect = Symbol.for('Deno.customInspect');

/** Hides the token when the launch is logged. JSON.stringify keeps it, because a relay serialises the launch for the page. */
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
 * Returns a copy of a JSON value with the API key and bearer tokens replaced, in strings and in property names: proxies and test
 * servers may echo request headers in their responses.
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
 * Copies message, code and causes of an error, with the API key replaced. The original error is dropped, because replacements of
 * fetch may attach the whole request to it.
 */
export function withoutKey(error: unknown, key: string): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  const cause = withoutKey(error.cause, key);
  const copy = new Error(error.message.replaceAll(key, hidden), cause && { cause });
  // The stack is that of this copy, not of the original error.
  delete copy.stack;
  return Object.assign(copy, typeof code === 'string' ? { code } : {});
}
