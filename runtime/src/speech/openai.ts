import { readWav, resampled } from '@session-launch/process/wav';
import { EngineError, post, type RemoteEngine } from '../endpoint.ts';
import { unlessAborted } from '../timeout.ts';
import type { Sentence, Speech, Spoken } from './speech.ts';
import { stretched } from './speech-timing.ts';

export interface SpeechEngine extends RemoteEngine {
  voice?: string | undefined;
}

/** Output sample rate in Hz. The engine's files state their own rate and are resampled. */
const sampleRate = 24_000;
/** Maximum absolute value of a sample that counts as silence, of 32,767. */
const quiet = 300;

/** Speech synthesis by an OpenAI-compatible service, in any language. */
export function openaiSpeech({ endpoint, model, voice }: SpeechEngine): Speech {
  return {
    name: model,
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
      return spoken(sentence.text, resampled(audio, sampleRate));
    },
    close: async () => {},
  };
}

/** The API returns no timings, so the predicted sounds are scaled to the part that is not silent. */
function spoken(text: string, audio: Int16Array): Spoken {
  const durationMs = Math.round((audio.length / sampleRate) * 1000);
  const first = audio.findIndex((sample) => Math.abs(sample) > quiet);
  const last = audio.findLastIndex((sample) => Math.abs(sample) > quiet);
  const ms = (samples: number) => (samples / sampleRate) * 1000;
  const silence = { lead: ms(Math.max(0, first)), tail: last < 0 ? 0 : ms(audio.length - last) };
  const { cues, words } = stretched(text, durationMs, silence);
  return { audio, durationMs, source: 'text', cues, words };
}
