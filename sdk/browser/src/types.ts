// The types of the package. They import no other package, so that the published declarations are self-contained.
export type { ServiceCode, SessionManifest } from './contract.ts';
export type * from './types/errors.ts';
export type * from './types/experience.ts';
export type * from './types/launch.ts';
export type * from './types/player.ts';
export type * from './types/plug-ins.ts';
export type * from './types/session.ts';
