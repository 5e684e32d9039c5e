import { type Endpoint, post, unlessAborted } from '../endpoint.ts';
import { stretched } from './letters.ts';
import type { Sentence, Speech, Spoken } from './speech.ts';
import { readWav, resampled } from './wav.ts';

export interface SpeechEngine {
  endpoint: Endpoint;
  model: string;
  voice?: string | undefined;
}

/** What clients are told. Engines have rates of their own; theirs stands in each file. */
const sampleRate = 24_000;
/** Below this a sample is silence. */
const quiet = 300;

/** Speech of an OpenAI-compatible service, any language that it speaks. */
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
      return spoken(sentence.text, resampled(readWav(file), sampleRate));
    },
    close: async () => {},
  };
}

/** The service tells no times: the text's own sounds are stretched over what is not silent. */
function spoken(text: string, audio: Int16Array): Spoken {
  const durationMs = Math.round((audio.length / sampleRate) * 1000);
  const first = audio.findIndex((sample) => Math.abs(sample) > quiet);
  const last = audio.findLastIndex((sample) => Math.abs(sample) > quiet);
  const ms = (samples: number) => (samples / sampleRate) * 1000;
  const silence = { lead: ms(Math.max(0, first)), tail: last < 0 ? 0 : ms(audio.length - last) };
  const { cues, words } = stretched(text, durationMs, silence);
  return { audio, durationMs, source: 'text', cues, words };
}
