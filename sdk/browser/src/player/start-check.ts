import type { LiveExperience } from '../core/experience.ts';
import { describe } from '../core/experience-error.ts';
import { callSafely } from '../core/report.ts';
import type { Availability, TextKey } from '../types.ts';
import { textOfCode } from './texts.ts';

/** Minimum milliseconds between two requests: many visitors may wait on one network. */
const intervalMs = 10_000;

/** Requests the availability, and again while waiting helps and the page is visible. Calls `changed` after each response. */
export function startCheck(experience: LiveExperience, changed: () => void) {
  const controller = new AbortController();
  const { signal } = controller;
  let logged = '';
  const log = (text: string) => {
    if (text === logged) return;
    logged = text;
    callSafely(() => experience.options.log?.('warn', text));
    console.warn(`session-launch: ${text}`);
  };
  const check = {
    /** Key of the text that replaces the start; `minting` until the first response, undefined if a session can start. */
    why: 'minting' as TextKey | undefined,
    stop: () => controller.abort(),
  };
  const ask = async () => {
    if (signal.aborted) return;
    if (document.hidden) return document.addEventListener('visibilitychange', ask, { once: true, signal });
    let answer: Availability = { available: true };
    try {
      answer = await experience.availability();
    } catch (error) {
      // A failed check must not prevent a start that would succeed.
      log(describe(error as Parameters<typeof describe>[0]));
    }
    if (signal.aborted) return;
    const { available, code, message, retryAfter } = answer;
    check.why = available ? undefined : textOfCode(code!);
    changed();
    if (available) return;
    log(`${code}: ${message}`);
    if (retryAfter) setTimeout(ask, Math.max(retryAfter * 1000, intervalMs) * (1 + Math.random() / 2));
  };
  // One macrotask later: React StrictMode removes the first player at once.
  setTimeout(ask);
  return check;
}
