export { assetUrl } from './assets.ts';
export { ExperienceError } from './core/experience-error.ts';
export { register } from './core/plug-ins.ts';
export { createExperience, launch } from './create.ts';
export { defineElements } from './elements/define.ts';
export type {
  ClientCode,
  Connection,
  EndReason,
  Events,
  Experience,
  ExperienceOptions,
  Id,
  Launch,
  Message,
  MicStatus,
  MintFields,
  Mode,
  Player,
  PlayerOptions,
  PlayerState,
  Renderer,
  RendererFactory,
  ServiceCode,
  SessionLaunchResponse,
  SessionManifest,
  Source,
  SpeechCue,
  State,
  TextKey,
  TransportContext,
  TransportFactory,
} from './types.ts';
export { version } from './version.ts';
export { warm } from './warm.ts';
