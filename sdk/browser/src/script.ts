// The script as the service serves it. Loaded twice, the first one stays.
import { cameFrom } from './core/home.ts';
import * as sdk from './index.ts';

declare global {
  var SessionLaunch: typeof sdk | undefined;
}

if (globalThis.SessionLaunch === undefined) {
  cameFrom((document.currentScript as HTMLScriptElement | null)?.src);
  globalThis.SessionLaunch = sdk;
  sdk.defineElements();
}
