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
