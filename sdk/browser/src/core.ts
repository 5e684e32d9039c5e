// Entry for applications with a custom user interface: sessions without player, custom elements and renderers.
import { assemble, started } from './assemble.ts';
import type { PageSpeech } from './transport/page-speech.ts';
import type { Experience, ExperienceOptions } from './types.ts';

export { ExperienceError } from './core/experience-error.ts';
export { register } from './core/plug-ins.ts';
export type { PageSpeech } from './transport/page-speech.ts';
export type * from './types.ts';
export { version } from './version.ts';

export type CoreOptions = ExperienceOptions & {
  /** Speech synthesis and recognition of the browser, from `@session-launch/browser/page-speech`. */
  pageSpeech?: PageSpeech;
};

/** Creates an experience without a player. Sends no request and prompts for no permission. */
export function createExperience(options: CoreOptions): Experience {
  return assemble(options, noPlayer, options.pageSpeech);
}

/** Creates and starts an experience. Call it in a click handler: otherwise the browser's autoplay policy blocks audio. */
export function launch(options: CoreOptions): Experience {
  return started(createExperience(options));
}

function noPlayer(): never {
  throw new TypeError('attach() is part of the entry @session-launch/browser');
}
