import { installationTexts } from './installation.ts';
import { portalTexts } from './portal.ts';
import { shellTexts } from './shell.ts';

/** Every text of the console. */
export const texts = { ...shellTexts, ...portalTexts, ...installationTexts } as const;
