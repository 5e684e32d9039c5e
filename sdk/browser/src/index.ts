export { assetUrl } from './assets.ts';
export { ExperienceError } from './core/experience-error.ts';
export { register } from './core/plug-ins.ts';
export { createExperience, launch } from './create.ts';
export { defineElements } from './elements/define.ts';
export type * from './types.ts';
export { version } from './version.ts';
export { warm } from './warm.ts';
