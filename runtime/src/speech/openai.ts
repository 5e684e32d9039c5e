import { readWav, resampled } from '@session-launch/process/wav';
import { EngineError, post, type RemoteEngine } from '../endpoint.ts';
import { unlessAborted } from '../timeout.ts';
import { withPredictedTiming } from './predicted-timing.ts';
import type { Sentence, Speech, Spoken } from './speech.ts';

export interface SpeechEngine extends RemoteEngine {
  voice?: string | undefined;
}

/** Output sample rate in Hz. The engine's files state their own rate and are resampled. */
const sampleRate = 24_000;

/** Speech synthesis by an OpenAI-compatible service, in any language. */
export function openaiSpeech({ endpoint, model, voice }: SpeechEngine): Speech {
  return {
    nameFor: () => model,
    sampleRate,
    speaks: () => true,
    speak: async (sentence: Sentence, signal: AbortSignal): Promise<Spoken> => {
      const { openai } = sentence.voice.settings as { openai?: { voice?: string } };
      const body = JSON.stringify({
        model,
        input: sentence.text,
        voice: openai?.voice ?? voice ?? 'alloy',
        response_format: 'wav',
        ...(sentence.voice.pace === 1 ? {} : { speed: sentence.voice.pace }),
      });
      const response = await post(endpoint, '/audio/speech', body, signal);
      const file = new Uint8Array(await unlessAborted(response.arrayBuffer(), signal));
      const audio = readWav(file);
      if (audio === undefined) throw new EngineError(0, 'not a WAV file of 16-bit PCM');
      return withPredictedTiming(sentence.text, resampled(audio, sampleRate), sampleRate);
    },
    close: async () => {},
  };
}
