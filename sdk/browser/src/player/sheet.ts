import css from './player.css';

let sheet: CSSStyleSheet | undefined;

/** The style sheet, shared by all players. Adopted, because a strict CSP blocks `style` elements. */
export function playerSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
