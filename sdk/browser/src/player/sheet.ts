import css from './player.css';

let sheet: CSSStyleSheet | undefined;

/** One for all players. Adopted, because a strict policy refuses style elements. */
export function playerSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
