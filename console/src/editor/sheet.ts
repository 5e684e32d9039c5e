/**
 * Loads the style sheet of a part that is loaded later. The build writes the names of these sheets into the page, because they contain a
 * digest of their content.
 */
export function loadSheet(part: string): Promise<void> {
  const href = document.querySelector<HTMLMetaElement>(`meta[name="sheet-${part}"]`)?.content;
  if (href === undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`${href} could not be loaded`));
    };
    document.head.append(link);
  });
}
