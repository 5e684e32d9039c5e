import { signal } from '@preact/signals';

/** Whether the service serves another build of the console than the one that runs on this page. */
export const isOutdated = signal(false);

const scriptIn = (html: string) => /<script[^>]* src="([^"]+)"/.exec(html)?.[1];

/** Compares the script of the page that the service serves now with the one of this page. The names contain a digest of the content. */
export async function checkBuild(): Promise<void> {
  try {
    const response = await fetch(new URL('./', document.baseURI), { cache: 'no-store' });
    if (!response.ok) return;
    const served = scriptIn(await response.text());
    const own = document.querySelector('script[src]')?.getAttribute('src');
    if (served !== undefined && served !== own) isOutdated.value = true;
  } catch {
    // The service does not answer; the banner about the connection says so.
  }
}
