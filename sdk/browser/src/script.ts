// The script as the service serves it. Loaded twice, the first one stays.
import { cameFrom } from './core/home.ts';
import {
  assetUrl,
  createExperience,
  defineElements,
  ExperienceError,
  launch,
  register,
  version,
  warm,
} from './index.ts';

type Sdk = typeof import('./index.ts');

declare global {
  var SessionLaunch: Sdk | undefined;
}

if (globalThis.SessionLaunch === undefined) {
  cameFrom((document.currentScript as HTMLScriptElement | null)?.src);
  // Listed, since esbuild makes a getter for each name of a whole namespace.
  globalThis.SessionLaunch = {
    assetUrl,
    createExperience,
    defineElements,
    ExperienceError,
    launch,
    register,
    version,
    warm,
  } satisfies Sdk;
  defineElements();
}
