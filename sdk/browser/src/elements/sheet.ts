import css from './elements.css';

let sheet: CSSStyleSheet | undefined;

export function blockSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
  }
  return sheet;
}
