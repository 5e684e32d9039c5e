import { previewTexts } from '../../texts/editor/preview.ts';

const { blocked } = previewTexts;

/** Milliseconds after which a service that has not answered counts as unreachable. */
const answerMs = 5_000;

/**
 * Why the preview page is not shown in its frame, and what to set. The browser does not tell the console, so this tries to load a file of
 * the same service, which any origin may read.
 */
export async function whyNotShown(publicUrl: string): Promise<string> {
  if (location.protocol === 'https:' && publicUrl.startsWith('http:') && !isLoopback(new URL(publicUrl)))
    return blocked.mixed(publicUrl);
  let answer: Response;
  try {
    answer = await fetch(`${publicUrl}/sdk/v2/integrity.json`, {
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(answerMs),
    });
    if (answer.ok) await answer.json();
  } catch (error) {
    // `fetch` fails in the same way if nothing answers and if CORS hides the answer.
    return error instanceof SyntaxError ? blocked.other(publicUrl) : blocked.unreachable(publicUrl);
  }
  if (answer.status >= 500 || answer.status === 429) return blocked.busy(publicUrl);
  return answer.ok ? blocked.refused(publicUrl, location.origin) : blocked.other(publicUrl);
}

/** Browsers load pages from these hosts over http, also in a page over https. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
