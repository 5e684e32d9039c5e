import type { defaults } from '@session-launch/contract/project-file/fields';

/** Limits of a project on browser and public mints and on concurrent sessions. `null` means unlimited. */
export type Limits = Record<keyof typeof defaults.limits, number | null>;
