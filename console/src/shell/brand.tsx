import { texts } from '../texts/texts.ts';

const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href;

/** The icon of the page and the name of the product. */
export function Brand() {
  return (
    <span class="brand">
      <img src={icon} alt="" width="28" height="28" />
      {texts.brand}
    </span>
  );
}
