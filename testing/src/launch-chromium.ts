import { fileURLToPath } from 'node:url';
import type { LaunchOptions } from 'playwright-core';
import type { Chromium } from './chromium.ts';

/**
 * Value of `--disable-features`. Chromium uses only the last such switch, so this list repeats Playwright's; Chromium ignores unknown
 * names.
 */
const leftOut = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // WebUI pages of the address bar, which every window would load in the background.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // A spare renderer process for the next navigation, which most tests do not make.
  'SpareRendererForSitePerProcess',
];

/** Starts Chromium with background requests disabled. `args` are additional command-line switches. */
export function launchOptions({ program, env }: Chromium, args: readonly string[]): LaunchOptions {
  return {
    executablePath: program,
    env: { ...process.env, ...env } as Record<string, string>,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-domain-reliability',
      '--disable-sync',
      '--no-first-run',
      '--no-pings',
      `--disable-features=${leftOut.join(',')}`,
      ...args,
    ],
    // Keep the back/forward cache enabled, as it is for users.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  };
}

/** A microphone that beeps. Pages get it without a prompt. */
export const beepingMicrophone: readonly string[] = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
];

const hearing = (file: string) => `--use-file-for-fake-audio-capture=${file}`;

/** A microphone that hears a WAV file again and again. Pages get it without a prompt. */
export const microphoneHearing = (file: string): readonly string[] => [...beepingMicrophone, hearing(file)];

const silence = fileURLToPath(new URL('./silence.wav', import.meta.url));

/** For most tests: on a busy machine, beeps get so long that they count as a voice, which interrupts the character. */
export const silentMicrophone = microphoneHearing(silence);

/** A silent microphone for which the browser asks the visitor. */
export const promptedMicrophone: readonly string[] = ['--use-fake-device-for-media-stream', hearing(silence)];

/** The switches of most files. One browser for each of these lists runs for the whole test run; another list starts its own. */
export const sharedSwitches: readonly (readonly string[])[] = [[], silentMicrophone];

/** The name of a list of switches among the shared browsers. */
export const nameOf = (switches: readonly string[]): string => switches.join(' ');
