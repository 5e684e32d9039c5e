import type { Hearing } from '../../src/hearing/hearing.ts';
import type { Detector } from '../../src/hearing/voice-activity.ts';
import type { Sentence, Speech, Spoken } from '../../src/speech/speech.ts';
import { predict } from '../../src/speech/speech-timing.ts';

/** A speech engine for English that returns silence of a fitting length without delay. */
export function instantSpeech(more: Partial<Speech> = {}): Speech & { spoken: Sentence[] } {
  const spoken: Sentence[] = [];
  return {
    nameFor: () => 'instant',
    sampleRate: 16_000,
    speaks: (locale) => locale.startsWith('en'),
    speak: async (sentence): Promise<Spoken> => {
      spoken.push(sentence);
      const { durationMs, cues, words } = predict(sentence.text, sentence.voice.pace);
      return { audio: new Int16Array(durationMs * 16), durationMs, source: 'engine', cues, words };
    },
    close: async () => {},
    spoken,
    ...more,
  };
}

/** A voice activity detector that classifies every loud step as speech. */
export function loudnessDetector(): Detector {
  return {
    ms: 20,
    push: (samples, step) => {
      for (let at = 0; at + 320 <= samples.length; at += 320) {
        const part = samples.subarray(at, at + 320);
        step(
          part,
          part.some((sample) => Math.abs(sample) > 1000),
        );
      }
    },
    close: () => {},
  };
}

/** A transcription engine that returns the given results in order. */
export function scriptedHearing(answers: (string | Error)[]): Hearing & { heard: number[] } {
  const heard: number[] = [];
  return {
    name: 'told',
    heard,
    transcribe: async ({ samples }) => {
      heard.push(samples.length / 16);
      const answer = answers.shift() ?? '';
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}
