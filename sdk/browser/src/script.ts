// Entry of the classic script that the service serves. If it is loaded twice, the first copy is kept.
import { setScriptUrl } from './core/service-url.ts';
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
  setScriptUrl((document.currentScript as HTMLScriptElement | null)?.src);
  // Listed by name: for a namespace import, esbuild generates a getter per export.
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
