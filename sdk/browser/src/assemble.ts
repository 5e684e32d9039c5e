import { createMicrophone } from './audio/microphone.ts';
import { createSpeaker } from './audio/speaker.ts';
import { browserEnvironment } from './core/environment.ts';
import { type Deps, LiveExperience } from './core/experience.ts';
import { check } from './core/options.ts';
import { livekit } from './transport/livekit.ts';
import type { PageSpeech } from './transport/page-speech.ts';
import { websocket } from './transport/websocket.ts';
import type { Experience, ExperienceOptions } from './types.ts';

/** Connects the core to the transports, the microphone, the speaker and a player. */
export function assemble(
  options: ExperienceOptions,
  attach: Deps['attach'],
  speech?: PageSpeech,
): LiveExperience {
  const deps: Deps = {
    transports: [websocket(speech), livekit],
    createMicrophone,
    createSpeaker: (changed) => createSpeaker(changed, speech?.unlock),
    attach,
  };
  return new LiveExperience(browserEnvironment(), check(options), deps);
}

/** Starts an experience. Its `error` event reports a failed start. */
export function started(experience: Experience): Experience {
  experience.start().catch(() => {});
  return experience;
}
