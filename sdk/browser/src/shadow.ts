const sheets = new Map<string, CSSStyleSheet>();

/** Attaches a shadow root with a style sheet. Adopts the sheet, because a strict CSP blocks `style` elements. */
export function attachStyledShadow(host: HTMLElement, css: string): ShadowRoot {
  const sheet = sheets.get(css) ?? new CSSStyleSheet();
  if (!sheets.has(css)) sheet.replaceSync(css);
  sheets.set(css, sheet);
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  return root;
}
