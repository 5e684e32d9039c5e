import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether this runs from the repository. An installed package has no src/ and ships copies of the examples that it needs. */
const isCheckout = existsSync(new URL('../../src/', import.meta.url));

/** The folder with the demo project, its art and the starter templates. */
export const examples = fileURLToPath(
  new URL(isCheckout ? '../../../examples/' : '../../examples/', import.meta.url),
);
