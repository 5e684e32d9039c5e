import { resampled } from '@session-launch/process/wav';
import type { Speech } from './speech.ts';

/** A speech engine whose audio is resampled, for sessions whose other audio has another rate. */
export function atSampleRate(speech: Speech, sampleRate: number): Speech {
  if (speech.sampleRate === sampleRate) return speech;
  return {
    ...speech,
    sampleRate,
    speak: async (sentence, signal) => {
      const spoken = await speech.speak(sentence, signal);
      const audio = { sampleRate: speech.sampleRate, samples: spoken.audio };
      return { ...spoken, audio: resampled(audio, sampleRate) };
    },
  };
}
