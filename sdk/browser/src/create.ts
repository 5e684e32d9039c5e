import { assemble, started } from './assemble.ts';
import { availabilityRequest } from './core/availability.ts';
import { attach } from './player/attach.ts';
import { pageSpeech } from './transport/page-speech.ts';
import type { Experience, ExperienceOptions } from './types.ts';

/** Creates an experience. Sends no request, prompts for no permission and does not change the page. */
export function createExperience(options: ExperienceOptions): Experience {
  const experience = assemble(options, attach, pageSpeech);
  // Throws if there is no availability for this source.
  if (options.check) availabilityRequest(experience.options.source);
  return experience;
}

/** Creates and starts an experience. Call it in a click handler: otherwise the browser's autoplay policy blocks audio. */
export function launch(options: ExperienceOptions): Experience {
  return started(createExperience(options));
}
