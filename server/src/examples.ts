import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** As in `bin/`: an installed package has no src/. It has copies of what it needs of the examples instead. */
const isCheckout = existsSync(new URL('../src/', import.meta.url));

/** Where the demo project, its art and the starters stand. */
export const examples = fileURLToPath(
  new URL(isCheckout ? '../../examples/' : '../examples/', import.meta.url),
);
