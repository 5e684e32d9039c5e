import { assemble, started } from './assemble.ts';
import { attach } from './player/attach.ts';
import { pageSpeech } from './transport/page-speech.ts';
import type { Experience, ExperienceOptions } from './types.ts';

/** Creates an experience. Sends no request, prompts for no permission and does not change the page. */
export function createExperience(options: ExperienceOptions): Experience {
  return assemble(options, attach, pageSpeech);
}

/** Creates and starts an experience. Call it in a click handler: otherwise the browser's autoplay policy blocks audio. */
export function launch(options: ExperienceOptions): Experience {
  return started(createExperience(options));
}
