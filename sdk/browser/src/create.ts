import { browserEnvironment } from './core/environment.ts';
import { LiveExperience } from './core/experience.ts';
import { check } from './core/options.ts';
import { attach } from './player/attach.ts';
import { pageSpeech } from './transport/page-speech.ts';
import type { Experience, ExperienceOptions } from './types.ts';

/** Free: no request, no prompt, nothing on the page. */
export function createExperience(options: ExperienceOptions): Experience {
  return new LiveExperience({ ...browserEnvironment(), speech: pageSpeech }, check(options), attach);
}

/** Creates and starts. Call it inside a click, so that the browser lets it be heard. */
export function launch(options: ExperienceOptions): Experience {
  const experience = createExperience(options);
  experience.start().catch(() => {});
  return experience;
}
