import { installationTexts } from './texts/installation.ts';
import { portalTexts } from './texts/portal.ts';
import { shellTexts } from './texts/shell.ts';

/** Every text of the console. */
export const texts = { ...shellTexts, ...portalTexts, ...installationTexts } as const;
