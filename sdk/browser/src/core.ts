// For applications with an interface of their own: sessions without the player, the elements and the renderers.
import { browserEnvironment } from './core/environment.ts';
import { LiveExperience } from './core/experience.ts';
import { check } from './core/options.ts';
import type { PageSpeech } from './transport/page-speech.ts';
import type { Experience, ExperienceOptions } from './types.ts';

export { ExperienceError } from './core/experience-error.ts';
export { register } from './core/plug-ins.ts';
export type * from './public-types.ts';
export type { PageSpeech } from './transport/page-speech.ts';
export { version } from './version.ts';

export type CoreOptions = ExperienceOptions & {
  /** The browser's own voice and speech recognition, from `@session-launch/browser/page-speech`. */
  pageSpeech?: PageSpeech;
};

/** Creates an experience that has no player. Sends no request and asks for no permission. */
export function createExperience(options: CoreOptions): Experience {
  const { pageSpeech } = options;
  return new LiveExperience(
    { ...browserEnvironment(), ...(pageSpeech && { speech: pageSpeech }) },
    check(options),
    () => {
      throw new TypeError('attach() is part of the entry @session-launch/browser');
    },
  );
}

/** Creates and starts. Call it inside a click: outside one, browsers hold sound back. */
export function launch(options: CoreOptions): Experience {
  const experience = createExperience(options);
  experience.start().catch(() => {});
  return experience;
}
